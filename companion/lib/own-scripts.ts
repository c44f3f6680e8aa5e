/** The scripts of the second tier, which are inside this executable: each is run when it is first required, with what V8 has kept of it. */
import { getAssetKeys } from 'node:sea';
import { Script } from 'node:vm';
import { OwnAsset } from './own-assets.ts';

export class OwnScripts {
  readonly #codes = new Pack('scripts.pack');
  // A program that was built on another system has no caches: they would be V8's for that system.
  readonly #caches = getAssetKeys().includes('caches.pack') ? new Pack('caches.pack') : null;
  readonly #modules = new Map<string, { exports: unknown }>();

  /** What the script of this name exports. */
  load(name: string): unknown {
    const known = this.#modules.get(name);
    if (known !== undefined) return known.exports;
    const module: { exports: unknown } = { exports: {} };
    this.#modules.set(name, module);
    const define: unknown = this.#compile(name).runInThisContext();
    if (typeof define !== 'function') throw new Error(`${name} is damaged`);
    define(module.exports, this.#require, module, process.execPath, '/');
    return module.exports;
  }

  /** The build has put a function around each script: to do so here would make a second string of it, for the garbage collector to take away. */
  #compile(filename: string): Script {
    const code = this.#codes.read(filename);
    const cachedData = this.#caches?.read(filename);
    // The scripts are ASCII.
    const script = new Script(code.toString('latin1'), { filename, ...(cachedData === undefined ? {} : { cachedData }) });
    // V8 has what it needs of them.
    code.buffer.transfer(0);
    cachedData?.buffer.transfer(0);
    return script;
  }

  /**
   * All that the program consists of is inside it. Node's own `require` looks for what is not in `node_modules` beside and above the
   * program and in the home folder, and would run whatever somebody has put there: a library in here asks for packages that speed it up.
   */
  readonly #require = (name: string): unknown => {
    if (name.startsWith('./')) return this.load(name.slice(2));
    const found: unknown = process.getBuiltinModule(name);
    if (found === undefined) throw new Error(`${name} is not in the program`);
    return found;
  };
}

/** Many files in one asset, because the runtime looks at each asset when the program starts; written by installer/pack.ts. */
class Pack {
  readonly #asset: OwnAsset;
  /** The name of each file → where it begins, and its length. */
  readonly #places: ReadonlyMap<string, readonly [start: number, length: number]>;

  constructor(name: string) {
    this.#asset = new OwnAsset(name);
    const listLength = this.#asset.at(0, 4).readUInt32LE();
    let start = 4 + listLength;
    const places = new Map<string, readonly [number, number]>();
    for (const line of this.#asset.at(4, listLength).toString('latin1').split('\n')) {
      const [file = '', length] = line.split(' ');
      places.set(file, [start, Number(length)]);
      start += Number(length);
    }
    this.#places = places;
  }

  read(file: string): Buffer<ArrayBuffer> {
    const place = this.#places.get(file);
    if (place === undefined) throw new Error(`${file} is not in the program`);
    return this.#asset.at(...place);
  }
}
