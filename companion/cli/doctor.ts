import { toErrorBody } from '#protocol/errors.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { Check } from '#protocol/setup.ts';
import { DEFAULT_PORT, VERSION } from '#protocol/version.ts';
import { describeEngine } from '#display/overview.ts';
import type { Io } from './io.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish doctor` */
export const doctor: Subcommand = {
  name: 'doctor',
  summary: 'check every step from the browser to the agents, and say how to mend what is broken',
  usage: ['[--json]', '--json  print the checks as JSON'],
  run: async (args, io) => {
    const { values } = readArgs(args, { json: { type: 'boolean' } });
    if (values.json !== true && io.isInteractive) io.note('Checking; agents are started for a moment…');
    const checks = [...(await io.installer.doctor(io.signal)), ...(await checkDaemon(io))];
    const isHealthy = checks.every(({ status }) => status !== 'failed');
    if (values.json === true) {
      io.json({ version: VERSION, isHealthy, checks });
    } else {
      for (const check of checks) for (const line of describeCheck(check)) io.print(line);
      io.print(isHealthy ? 'Everything that must work does.' : 'Something is broken; mend it in the order above.');
    }
    return isHealthy ? 0 : 1;
  },
};

/** A check as a person reads it: its sign, what was found, what to do. */
const describeCheck = ({ title, status, detail, remedy }: Check): string[] => [
  `${signs[status]} ${title}: ${detail}`,
  ...(remedy === undefined ? [] : [`       ${remedy}`]),
];

const signs = { ok: '[ok]  ', warning: '[warn]', failed: '[FAIL]', skipped: '[--]  ' } as const;

/** The checks that need a running daemon. */
const checkDaemon = async (io: Io): Promise<Check[]> => {
  const base = { id: 'daemon', title: 'Daemon' };
  try {
    const { version, pid, port } = await io.client.connect({ start: true, signal: io.signal });
    const isSame = version === VERSION;
    const daemon: Check = isSame
      ? { ...base, status: 'ok', detail: `Version ${version}, process ${pid}` }
      : {
          ...base,
          status: 'warning',
          detail: `It is version ${version} and this is ${VERSION}.`,
          remedy: 'Run `pilotfish stop`; the next start uses the new one.',
        };
    return [daemon, await checkPort(port), ...(await checkEngines(io)), ...(await checkStatus(io)), await checkAudit(io)];
  } catch (error) {
    const { message, remedy } = toErrorBody(error);
    return [{ ...base, status: 'failed', detail: message, remedy }];
  }
};

/** Any answer proves that the port can be reached; without a token the answer is a refusal. */
const checkPort = async (port: number | null): Promise<Check> => {
  const base = { id: 'port', title: 'Loopback port' };
  const remedy = 'A firewall or proxy on loopback is the usual cause; allow 127.0.0.1, then run `pilotfish stop` and try again.';
  if (port === null) return { ...base, status: 'failed', detail: 'The daemon listens on no port.', remedy };
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(3000) });
    const note = port === DEFAULT_PORT ? '' : `; ${DEFAULT_PORT} was taken`;
    return { ...base, status: 'ok', detail: `127.0.0.1:${port} answers (${status})${note}` };
  } catch {
    return { ...base, status: 'failed', detail: `127.0.0.1:${port} does not answer.`, remedy };
  }
};

const checkEngines = async ({ client, signal }: Io): Promise<Check[]> => {
  const engines = await client.engines.refresh(undefined, signal);
  const ready = engines.filter(({ status }) => status === 'ready');
  const summary: Check =
    ready.length > 0
      ? { id: 'engines', title: 'Agents', status: 'ok', detail: `${ready.length} of ${engines.length} are ready` }
      : {
          id: 'engines',
          title: 'Agents',
          status: 'failed',
          detail: 'No agent is ready.',
          remedy: 'Install and log in one of those below; Claude Code, Codex and Qwen Code are on npm.',
        };
  return [summary, ...engines.map(checkEngine)];
};

const checkEngine = (engine: EngineInfo): Check => {
  const base = { id: `engine.${engine.name}`, title: engine.label };
  const remedy = engine.fix === undefined ? engine.error?.remedy : `Run: ${engine.fix}`;
  const detail = `${describeEngine(engine)}.`;
  if (engine.status === 'ready') return { ...base, status: 'ok', detail };
  // Nobody has every agent installed.
  const status = engine.status === 'not_installed' || engine.status === 'unchecked' ? 'skipped' : 'warning';
  return { ...base, status, detail, ...(remedy === undefined ? {} : { remedy }) };
};

const checkAudit = async ({ client, signal }: Io): Promise<Check> => {
  const base = { id: 'audit', title: 'Audit' };
  const report = await client.audit(0, signal).catch((error: unknown) => toErrorBody(error));
  // A daemon of an earlier version keeps no audit.
  if ('code' in report) return { ...base, status: 'skipped', detail: report.message };
  const { entryCount, fault } = report;
  if (fault === null) return { ...base, status: 'ok', detail: `${entryCount} entries, none changed.` };
  return { ...base, status: 'failed', detail: fault, remedy: 'Something changed it afterwards: look at `pilotfish logs --audit`.' };
};

const checkStatus = async ({ client, signal }: Io): Promise<Check[]> => {
  const { browsers, warnings, extensionPath } = await client.status(signal);
  const connected: Check =
    browsers.length > 0
      ? { id: 'connected', title: 'Connected browsers', status: 'ok', detail: browsers.map(({ name }) => name).join(', ') }
      : {
          id: 'connected',
          title: 'Connected browsers',
          status: 'warning',
          detail: 'None is connected now.',
          remedy: `Load the extension from ${extensionPath} at chrome://extensions, or open the browser that has it.`,
        };
  return [
    connected,
    ...warnings.map((detail, index): Check => ({
      id: `warning.${index + 1}`,
      title: 'Daemon',
      status: 'warning',
      detail,
      remedy: 'See `pilotfish logs`.',
    })),
  ];
};
