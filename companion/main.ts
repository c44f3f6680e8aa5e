/**
 * The first code of every role. Chrome waits for the host's first bytes, so this tier is small: the application is
 * an asset that only the other roles load.
 */
import { createRequire } from 'node:module';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import vm from 'node:vm';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import { runHost } from '#companion/host/relay.ts';

/** What companion/app.ts exports. */
interface Application {
  run(args: readonly string[]): Promise<number>;
}

/** The code cache is made for exactly this wrapper, see installer/bundle.ts. */
const loadApplication = (): Application => {
  const code = getAsset('app.cjs', 'utf8');
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`, {
    filename: 'app.cjs',
    cachedData: Buffer.from(getRawAsset('app.cache')),
  });
  const module: { exports: unknown } = { exports: {} };
  const start: unknown = script.runInThisContext();
  if (typeof start !== 'function') throw new Error('the application asset is damaged');
  start(module.exports, createRequire(import.meta.url), module, process.execPath, '/');
  if (!isApplication(module.exports)) throw new Error('the application asset is damaged');
  return module.exports;
};

const isApplication = (value: unknown): value is Application =>
  typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';

const args = process.argv.slice(2);
if (args[0]?.startsWith('chrome-extension://')) {
  process.exitCode = await runHost(args, process.env);
} else if (args[0] === '--version') {
  console.log(args.includes('--json') ? JSON.stringify({ version: VERSION, protocol: PROTOCOL.current, node: process.versions.node }) : VERSION);
} else {
  const application = isSea() ? loadApplication() : await import('./app.ts');
  process.exitCode = await application.run(args);
}
