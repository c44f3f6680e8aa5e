/** What is connected and what is missing, with the way to mend it. The text report and the terminal's welcome page share it. */
import { counted } from './counted.ts';
import type { SessionSummary } from '#protocol/api.ts';
import type { BrowserInfo } from '#protocol/browser.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { BrowserSetup, ExtensionSetup } from '#protocol/setup.ts';
import { byStatus, wantsServer } from './engines.ts';

export interface OverviewLine {
  readonly mark: 'ok' | 'missing' | 'info';
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export interface OverviewSection {
  readonly title: string;
  readonly lines: readonly OverviewLine[];
}

export interface OverviewInput {
  readonly browserSetups: readonly BrowserSetup[];
  readonly extension: ExtensionSetup | null;
  /** How a person registers and unpacks here: a command in a shell, a key in the terminal UI. */
  readonly installRemedy: string;
  /** What the daemon knows, or null while none runs. */
  readonly daemon: {
    readonly browsers: readonly BrowserInfo[];
    readonly engines: readonly EngineInfo[];
    readonly sessions: readonly SessionSummary[];
    readonly warnings: readonly string[];
  } | null;
  /** Whether no daemon runs because nothing needs it, while a browser waits for it. */
  readonly isResting?: boolean;
}

/** Everything between a new machine and an agent that drives the browser, in the order in which a person does it. */
export const overview = (input: OverviewInput): OverviewSection[] => [
  { title: 'Browsers', lines: browserLines(input) },
  { title: 'Extension', lines: extensionLines(input) },
  { title: 'Agents', lines: engineLines(input) },
  { title: 'Sessions', lines: sessionLines(input) },
  ...(input.daemon === null || input.daemon.warnings.length === 0
    ? []
    : [{ title: 'Warnings', lines: input.daemon.warnings.map((text): OverviewLine => ({ mark: 'missing', text })) }]),
];

/** Whether nothing stands between the person and a first prompt. */
export const isReady = ({ daemon }: OverviewInput): boolean =>
  daemon !== null && daemon.browsers.length > 0 && daemon.engines.some(({ status }) => status === 'ready');

const browserLines = ({ browserSetups, daemon, installRemedy }: OverviewInput): OverviewLine[] => {
  const connected = (daemon?.browsers ?? []).map(({ name, label, extensionVersion, toolCount }): OverviewLine => ({
    mark: 'ok',
    text: `${name}${label === '' || label === name ? '' : ` (${label})`} is connected: extension ${extensionVersion}, ${counted(toolCount, 'tool')}`,
  }));
  const found = browserSetups.map(({ name, registration, problem }): OverviewLine => {
    if (registration === 'registered') return { mark: 'ok', text: `${name} is registered` };
    return { mark: 'missing', text: `${name} is not registered: ${problem ?? 'there is no manifest'}`, remedy: installRemedy };
  });
  if (connected.length + found.length > 0) return [...found, ...connected];
  return [
    {
      mark: 'missing',
      text: 'No Chromium-family browser was found.',
      remedy: `Install Chrome, Chromium, Edge, Brave, Vivaldi, Opera or Arc. Then: ${installRemedy}`,
    },
  ];
};

const extensionLines = ({ extension, daemon, isResting, installRemedy }: OverviewInput): OverviewLine[] => {
  if (extension === null) return [];
  const { path, version, embeddedVersion, isCurrent } = extension;
  if (version === null) return [{ mark: 'missing', text: 'The extension is not unpacked yet.', remedy: installRemedy }];
  const unpacked: OverviewLine = { mark: isCurrent ? 'ok' : 'missing', text: `Version ${version} is unpacked at ${path}` };
  if (!isCurrent && embeddedVersion !== null) {
    return [{ ...unpacked, remedy: `${installRemedy} Then reload the extension at chrome://extensions.` }];
  }
  if (daemon !== null && daemon.browsers.length > 0) return [unpacked];
  if (isResting === true)
    return [unpacked, { mark: 'ok', text: 'A browser with the extension is there, and wakes Pilotfish when it needs it.' }];
  return [
    unpacked,
    {
      mark: 'missing',
      text: 'No browser with the extension is connected.',
      remedy: `Open chrome://extensions, switch on "Developer mode", press "Load unpacked" and choose ${path}. Then click the Pilotfish icon in the toolbar.`,
    },
  ];
};

const engineLines = ({ daemon, isResting }: OverviewInput): OverviewLine[] => {
  if (daemon === null) {
    const state = isResting === true ? 'resting' : 'not running';
    return [{ mark: 'info', text: `Pilotfish is ${state}, so the agents were not checked.`, remedy: 'Start `pilotfish`.' }];
  }
  if (daemon.engines.length === 0) return [{ mark: 'missing', text: 'No agent is known yet.', remedy: 'Run `pilotfish engine check`.' }];
  return daemon.engines.toSorted(byStatus).map((engine): OverviewLine => {
    const text = describeEngine(engine);
    // Nobody needs all of them, so those that are not installed share one line.
    if (engine.status === 'not_installed' && engine.fix !== undefined) return { mark: 'info', text: `${text}: ${engine.fix}` };
    const remedy = remedyOf(engine);
    return { mark: markOf(engine), text, ...(remedy === null ? {} : { remedy }) };
  });
};

/** An engine in one line: version, account or what it lacks. */
export const describeEngine = (engine: EngineInfo): string => {
  const { label, status, version, account, path, error } = engine;
  const name = version === undefined ? label : `${label} ${version}`;
  switch (status) {
    case 'ready':
      return `${name} is ready${account === undefined ? '' : ` (${account})`}${path === undefined ? '' : `, ${path}`}`;
    case 'not_installed':
      return wantsServer(engine) ? `${name}: no model server answers` : `${name} is not installed`;
    case 'too_old':
      return `${name} is too old`;
    case 'not_logged_in':
      return `${name} is not logged in`;
    case 'unchecked':
      return `${name} was not checked yet`;
    case 'failed':
      return `${name} does not start${error === undefined ? '' : `: ${error.message}`}`;
  }
};

const remedyOf = ({ status, fix, error }: EngineInfo): string | null => {
  if (status === 'ready' || status === 'unchecked') return null;
  return fix === undefined ? (error?.remedy ?? null) : `Run: ${fix}`;
};

const markOf = ({ status }: EngineInfo): OverviewLine['mark'] => {
  if (status === 'ready') return 'ok';
  return status === 'not_installed' || status === 'unchecked' ? 'info' : 'missing';
};

const sessionLines = ({ daemon, isResting }: OverviewInput): OverviewLine[] => {
  if (daemon === null) {
    const state = isResting === true ? 'resting' : 'not running';
    return [{ mark: 'info', text: `Pilotfish is ${state}; sessions go on when it runs.` }];
  }
  if (daemon.sessions.length === 0) return [{ mark: 'info', text: 'There is no session yet.' }];
  const working = daemon.sessions.filter(({ status }) => status !== 'idle').length;
  const waiting = daemon.sessions.filter(({ openRequests }) => openRequests > 0).length;
  return [
    {
      mark: waiting > 0 ? 'missing' : 'ok',
      text: `${daemon.sessions.length} in all, ${working} working, ${waiting} waiting for you`,
      ...(waiting > 0 ? { remedy: 'Open `pilotfish` or the side panel and answer.' } : {}),
    },
  ];
};
