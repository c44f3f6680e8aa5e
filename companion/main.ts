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

const loadApplication = async (part: Part): Promise<Application> => {
  const { OwnScripts } = await import('#companion/lib/own-scripts.ts');
  const application = new OwnScripts().load(`${part}.cjs`);
  if (!isApplication(application)) throw new Error('the application asset is damaged');
  return application;
};

const isApplication = (value: unknown): value is Application =>
  typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';

void start(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
