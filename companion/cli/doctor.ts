import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { counted } from '#protocol/counted.ts';
import { toErrorBody } from '#protocol/errors.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { BrowserInfo } from '#protocol/browser.ts';
import type { Check, Finding } from '#protocol/setup.ts';
import { DEFAULT_PORT, HEALTH_PATH, VERSION } from '#protocol/version.ts';
import { warningsIn } from '#protocol/warnings.ts';
import { asCommand } from '#display/command-name.ts';
import { describeEngine } from '#display/overview.ts';
import type { Io } from './io.ts';
import { driveChain } from './doctor-live.ts';
import { writeReport } from './doctor-report.ts';
import { isOfOtherVersion, stopDaemon } from './stop.ts';
import { readArgs, type Subcommand } from './subcommand.ts';
import { goBack } from './update.ts';

/** `pilotfish doctor` */
export const doctor: Subcommand = {
  name: 'doctor',
  summary: 'check every step from the browser to the agents, and say how to mend what is broken',
  usage: [
    '[--live] [--fix] [--report FILE] [--json]',
    '--live         drive the whole chain: a browser without a window, a profile of its own, the extension, a tool call',
    '--fix          mend what can be mended first: registration, extension, rights, a daemon of another version, an update that was cut off',
    '--report FILE  write what was found and the end of the log into a file without keys and names, for a bug report',
    '--json         print the checks as JSON',
    'The exit code is 1 when something is broken.',
  ],
  run: async (args, io) => {
    const { values } = readArgs(args, {
      live: { type: 'boolean' },
      fix: { type: 'boolean' },
      report: { type: 'string' },
      json: { type: 'boolean' },
    });
    const isJson = values.json === true;
    if (!isJson && io.isInteractive) io.note('Checking; agents are started for a moment…');
    const back = values.fix === true ? await goBack(io) : null;
    // All else is for the program that has its place again.
    if (back !== null) {
      if (isJson) io.json({ version: VERSION, isHealthy: true, fixed: [back], checks: [] });
      else io.print(`[done] ${back}\nRun \`pilotfish doctor\` once more.`);
      return 0;
    }
    const fixed = values.fix === true ? await fix(io) : [];
    const checks = [
      ...(await io.installer.doctor(io.signal)).map(toCheck),
      ...(await checkDaemon(io)),
      ...(values.live === true ? await driveChain(io) : []),
    ];
    const isHealthy = checks.every(({ status }) => status !== 'failed');
    if (values.report !== undefined) await writeReport(io, values.report, checks);
    if (isJson) {
      io.json({ version: VERSION, isHealthy, ...(values.fix === true ? { fixed } : {}), checks });
    } else {
      for (const sentence of fixed) io.print(`[done] ${sentence}`);
      for (const check of checks) for (const line of describeCheck(check)) io.print(line);
      io.print(isHealthy ? 'Everything that must work does.' : 'Something is broken; mend it in the order above.');
      if (values.report !== undefined) io.print(`The report is in ${values.report}; read it before you pass it on.`);
    }
    return isHealthy ? 0 : 1;
  },
};

/** Mends what needs no decision; what was done, a sentence each. */
const fix = async (io: Io): Promise<string[]> => {
  const done = io.installer.mend();
  const isOther = await io.client.connect({ start: false, signal: io.signal }).then(({ version }) => version !== VERSION, isOfOtherVersion);
  if (!isOther) return done;
  await stopDaemon(io);
  return [...done, `A daemon of another version was stopped; the next start is version ${VERSION}.`];
};

const toCheck = ({ title, detail, remedy, ...rest }: Finding): Check => ({
  ...rest,
  title: title.text,
  detail: detail.text,
  ...(remedy === undefined ? {} : { remedy: remedy.text }),
});

/** A check as a person reads it: its sign, what was found, what to do. */
const describeCheck = ({ title, status, detail, remedy, ms }: Check): string[] => [
  `${signs[status]} ${title}: ${detail}${ms === undefined ? '' : ` (${ms} ms)`}`,
  ...(remedy === undefined ? [] : [`       ${remedy}`]),
];

/** The check with the time it took. */
const timed = async (work: () => Promise<Check>): Promise<Check> => {
  const startedAt = performance.now();
  const check = await work();
  return { ...check, ms: Math.round(performance.now() - startedAt) };
};

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
    return [
      daemon,
      await timed(() => checkPort(port, wishedPort(io))),
      ...(await checkEngines(io)),
      ...(await checkStatus(io)),
      await timed(() => checkAudit(io)),
    ];
  } catch (error) {
    const { message, remedy } = toErrorBody(error);
    return [{ ...base, status: 'failed', detail: message, remedy }];
  }
};

/** Any answer proves that the port can be reached; without a token the answer is a refusal. */
const checkPort = async (port: number | null, wished: number): Promise<Check> => {
  const base = { id: 'port', title: 'Loopback port' };
  const remedy = 'A firewall or proxy on loopback is the usual cause; allow 127.0.0.1, then run `pilotfish stop` and try again.';
  if (port === null) return { ...base, status: 'failed', detail: 'The daemon listens on no port.', remedy };
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}${HEALTH_PATH}`, { signal: AbortSignal.timeout(3000) });
    const detail = `127.0.0.1:${port} answers (${status})`;
    const which = wished === DEFAULT_PORT ? `the usual port, ${wished},` : `the one of the settings, ${wished},`;
    if (port === wished) return { ...base, status: 'ok', detail };
    return {
      ...base,
      status: 'warning',
      detail: `${detail}, because ${which} was taken.`,
      remedy:
        'All of Pilotfish finds the new one by itself; give other clients theirs again with `pilotfish mcp config CLIENT --http`. ' +
        `To have ${wished} back, end the program that has it, then run \`pilotfish stop\`.`,
    };
  } catch {
    return { ...base, status: 'failed', detail: `127.0.0.1:${port} does not answer.`, remedy };
  }
};

/** The port that the daemon tries first. */
const wishedPort = ({ paths }: Io): number => {
  try {
    return z.object({ port: z.number() }).parse(JSON.parse(readFileSync(paths.settingsFile, 'utf8'))).port;
  } catch {
    // It is not there, or says nothing about the port.
    return DEFAULT_PORT;
  }
};

const checkEngines = async ({ client, installer, signal }: Io): Promise<Check[]> => {
  const startedAt = performance.now();
  const known = (await client.engines.setups()).engines.filter(({ isDisabled }) => !isDisabled);
  const checked = await Promise.all(
    known.map(async ({ engine }) => {
      const engineAt = performance.now();
      const found = (await client.engines.refresh(engine.name, signal)).find(({ name }) => name === engine.name) ?? engine;
      return { engine: found, ms: Math.round(performance.now() - engineAt) };
    }),
  );
  const engines = checked.map(({ engine }) => engine);
  const ms = Math.round(performance.now() - startedAt);
  const ready = engines.filter(({ status }) => status === 'ready');
  const summary: Check =
    ready.length > 0
      ? { id: 'engines', title: 'Agents', status: 'ok', detail: `${ready.length} of ${engines.length} are ready`, ms }
      : {
          id: 'engines',
          title: 'Agents',
          status: 'failed',
          detail: 'No agent is ready.',
          remedy: 'Install and log in one of those below; Claude Code, Codex and Qwen Code are on npm.',
        };
  const command = installer.command();
  return [summary, ...checked.map(({ engine, ms: engineMs }) => checkEngine(engine, engineMs, command))];
};

const checkEngine = (engine: EngineInfo, ms: number, command: string): Check => {
  // What is said of it begins with its name.
  const base = { id: `engine.${engine.name}`, title: 'Agent' };
  const remedy = engine.fix === undefined ? engine.error?.remedy : `Run: ${asCommand(engine.fix, command)}`;
  const detail = `${describeEngine(engine)}.`;
  if (engine.status === 'ready') return { ...base, status: 'ok', detail, ms };
  // Nobody has every agent installed.
  const status = engine.status === 'not_installed' || engine.status === 'unchecked' ? 'skipped' : 'warning';
  return { ...base, status, detail, ...(remedy === undefined ? {} : { remedy }) };
};

const checkAudit = async ({ client, paths, signal }: Io): Promise<Check> => {
  const base = { id: 'audit', title: 'Audit' };
  const report = await client.audit(0, signal).catch((error: unknown) => toErrorBody(error));
  // A daemon of an earlier version keeps no audit.
  if ('code' in report) return { ...base, status: 'skipped', detail: report.message };
  const { entryCount, fault } = report;
  if (fault === null) return { ...base, status: 'ok', detail: `${counted(entryCount, 'entry', 'entries')}, none changed.` };
  return {
    ...base,
    status: 'failed',
    detail: `Something changed it afterwards. ${fault}`,
    remedy: `Look at \`pilotfish logs --audit\`. To begin a new one, run \`pilotfish stop\` and move audit.jsonl, audit.jsonl.1 and audit.jsonl.head out of ${paths.root}.`,
  };
};

const checkStatus = async ({ client, signal }: Io): Promise<Check[]> => {
  const status = await client.status(signal);
  const { browsers, extensionPath } = status;
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
    ...browsers.flatMap(checkExtensionAge),
    ...warningsIn(status).map(({ what, remedy }, index): Check => ({
      id: `warning.${index + 1}`,
      title: 'Daemon',
      status: 'warning',
      detail: what.text,
      remedy: remedy?.text ?? 'See `pilotfish logs`.',
    })),
  ];
};

/** Executable and extension work together at different ages, but what the older one cannot do is missing. */
const checkExtensionAge = ({ browserId, name, extensionVersion }: BrowserInfo): Check[] => {
  if (extensionVersion === VERSION) return [];
  const isOlder = extensionVersion.localeCompare(VERSION, 'en', { numeric: true }) < 0;
  return [
    {
      id: `age.${browserId}`,
      title: `Extension in ${name}`,
      status: 'warning',
      detail: `It is version ${extensionVersion} and pilotfish is ${VERSION}: ${isOlder ? 'the extension' : 'pilotfish'} is older.`,
      remedy: isOlder
        ? 'Run `pilotfish install`, then reload the extension at chrome://extensions.'
        : 'Run `pilotfish update --from FILE` with the newer package.',
    },
  ];
};
