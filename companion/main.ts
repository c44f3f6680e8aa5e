/**
 * The first code of every role. Chrome waits for the host's first bytes, so this tier is small and each role loads
 * only what it needs: the application is an asset that the host never touches.
 */
import { PROTOCOL, VERSION } from '#protocol/version.ts';

/** What each part of the second tier exports. */
interface Application {
  run(args: readonly string[]): Promise<number>;
}

const start = async (args: readonly string[]): Promise<number> => {
  nameHome(process.env);
  if (args[0]?.startsWith('chrome-extension://')) {
    const { runHost } = await import('#companion/host/relay.ts');
    return runHost(args, process.env);
  }
  if (args[0] === '--version') {
    console.log(
      args.includes('--json') ? JSON.stringify({ version: VERSION, protocol: PROTOCOL.current, node: process.versions.node }) : VERSION,
    );
    return 0;
  }
  const { run } = await (process.getBuiltinModule('node:sea').isSea() ? loadApplication(partOf(args)) : importApplication(partOf(args)));
  return run(args);
};

type Part = 'daemon' | 'app';

/** What a daemon loads stays in memory for days, so it is a part of its own. What it does not understand, the command line explains. */
const partOf = ([name, ...rest]: readonly string[]): Part =>
  name === 'daemon' && rest.every((arg) => arg === '--keep-alive') ? 'daemon' : 'app';

const importApplication = (part: Part): Promise<Application> => (part === 'daemon' ? import('./app/daemon-part.ts') : import('./app.ts'));

/** An empty or relative HOME would lead to other folders in each place it is read from: it is then the one of the user's account. */
const nameHome = (env: NodeJS.ProcessEnv): void => {
  const { HOME: home } = env;
  if (home === undefined || process.platform === 'win32' || home.startsWith('/')) return;
  env['HOME'] = process.getBuiltinModule('node:os').userInfo().homedir;
};

/** The code cache is made for exactly this wrapper, see installer/bundle.ts. */
const loadApplication = async (part: Part): Promise<Application> => {
  const { getAsset, getAssetKeys, getRawAsset } = process.getBuiltinModule('node:sea');
  const { Script } = process.getBuiltinModule('node:vm');
  const { readOwnAssets } = await import('#companion/lib/own-assets.ts');
  // A program that was built on another system has no cache: it would be V8's for that system.
  const [source, cache] = [`${part}.cjs`, `${part}.cache`];
  const hasCache = getAssetKeys().includes(cache);
  const own = hasCache ? readOwnAssets([source, cache]) : null;
  // The bundle is ASCII.
  const code = own?.get(source)?.toString('latin1') ?? getAsset(source, 'utf8');
  const cachedData = hasCache ? { cachedData: own?.get(cache) ?? Buffer.from(getRawAsset(cache)) } : {};
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`, {
    filename: source,
    ...cachedData,
  });
  // V8 has what it needs of them.
  for (const { buffer } of own?.values() ?? []) buffer.transfer(0);
  const module: { exports: unknown } = { exports: {} };
  const define: unknown = script.runInThisContext();
  if (typeof define !== 'function') throw new Error('the application asset is damaged');
  define(module.exports, requireBuiltin, module, process.execPath, '/');
  if (!isApplication(module.exports)) throw new Error('the application asset is damaged');
  return module.exports;
};

/**
 * All that the program consists of is inside it. Node's own `require` looks for what is not in `node_modules` beside and above the
 * program and in the home folder, and would run whatever somebody has put there: a library in here asks for packages that speed it up.
 */
const requireBuiltin = (name: string): unknown => {
  const found: unknown = process.getBuiltinModule(name);
  if (found === undefined) throw new Error(`${name} is not in the program`);
  return found;
};

const isApplication = (value: unknown): value is Application =>
  typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';

void start(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
