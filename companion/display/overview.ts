/** What is connected and what is missing, with the way to mend it. The text report and the terminal's welcome page share it. */
import { labelText } from './engines.ts';
import type { SessionSummary } from '#protocol/api.ts';
import type { BrowserInfo } from '#protocol/browser.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { BrowserSetup, ExtensionSetup } from '#protocol/setup.ts';
import type { Warning } from '#protocol/warnings.ts';
import { byStatus, wantsServer } from './engines.ts';
import { errorText } from './error-text.ts';
import { saidText } from './said.ts';
import { overviewWords } from './overview-words.ts';
import { inLanguage, words } from './words.ts';

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
    readonly warnings: readonly Warning[];
  } | null;
  /** Whether no daemon runs because nothing needs it, while a browser waits for it. */
  readonly isResting?: boolean;
  /** English, unless another is asked for. */
  readonly language?: 'en' | 'zh';
}

type Say = ReturnType<typeof inLanguage<typeof overviewWords>>;

const sayIn = (language: OverviewInput['language'] = 'en'): Say => inLanguage(overviewWords, language);

/** Everything between a new machine and an agent that drives the browser, in the order in which a person does it. */
export const overview = (input: OverviewInput): OverviewSection[] => {
  const say = sayIn(input.language);
  return [
    { title: say('browsers'), lines: browserLines(input, say) },
    { title: say('extension'), lines: extensionLines(input, say) },
    { title: say('agents'), lines: engineLines(input, say) },
    { title: say('sessions'), lines: sessionLines(input, say) },
    ...(input.daemon === null || input.daemon.warnings.length === 0
      ? []
      : [{ title: say('warnings'), lines: warningLines(input.daemon.warnings, input.language) }]),
  ];
};

/** Whether nothing stands between the person and a first prompt. */
export const isReady = ({ daemon }: OverviewInput): boolean =>
  daemon !== null && daemon.browsers.length > 0 && daemon.engines.some(({ status }) => status === 'ready');

const warningLines = (warnings: readonly Warning[], language: OverviewInput['language'] = 'en'): OverviewLine[] => {
  const say = inLanguage(words, language);
  return warnings.map(({ what, remedy }) => ({
    mark: 'missing',
    text: saidText(what, say),
    ...(remedy === undefined ? {} : { remedy: saidText(remedy, say) }),
  }));
};

const browserLines = ({ browserSetups, daemon, installRemedy, language = 'en' }: OverviewInput, say: Say): OverviewLine[] => {
  const connected = (daemon?.browsers ?? []).map(({ name, label, extensionVersion, toolCount }): OverviewLine => ({
    mark: 'ok',
    text: say('browser_connected', {
      name: label === '' || label === name ? name : say('aside', { text: name, aside: label }),
      version: extensionVersion,
      count: toolCount,
    }),
  }));
  const found = browserSetups.map(({ name, registration, problem }): OverviewLine => {
    if (registration === 'registered') return { mark: 'ok', text: say('browser_registered', { name }) };
    return {
      mark: 'missing',
      text: say('browser_unregistered', {
        name,
        problem:
          registration === 'missing'
            ? say('no_manifest')
            : problem === undefined
              ? say('no_manifest')
              : saidText(problem, inLanguage(words, language)),
      }),
      remedy: installRemedy,
    };
  });
  if (connected.length + found.length > 0) return [...found, ...connected];
  return [
    {
      mark: 'missing',
      text: say('no_browser'),
      remedy: say('no_browser_remedy', { remedy: installRemedy }),
    },
  ];
};

const extensionLines = ({ extension, daemon, isResting, installRemedy }: OverviewInput, say: Say): OverviewLine[] => {
  if (extension === null) return [];
  const { path, version, embeddedVersion, isCurrent } = extension;
  if (version === null) return [{ mark: 'missing', text: say('not_unpacked'), remedy: installRemedy }];
  const unpacked: OverviewLine = { mark: isCurrent ? 'ok' : 'missing', text: say('unpacked', { version, path }) };
  if (!isCurrent && embeddedVersion !== null) {
    return [{ ...unpacked, remedy: say('reload', { remedy: installRemedy }) }];
  }
  if (daemon !== null && daemon.browsers.length > 0) return [unpacked];
  if (isResting === true) return [unpacked, { mark: 'ok', text: say('browser_rests') }];
  return [
    unpacked,
    {
      mark: 'missing',
      text: say('not_connected'),
      remedy: say('not_connected_remedy', { path }),
    },
  ];
};

const engineLines = ({ daemon, isResting, language }: OverviewInput, say: Say): OverviewLine[] => {
  if (daemon === null) {
    return [{ mark: 'info', text: say(isResting === true ? 'agents_unchecked_resting' : 'agents_unchecked'), remedy: say('start') }];
  }
  if (daemon.engines.length === 0) return [{ mark: 'missing', text: say('no_agent'), remedy: say('no_agent_remedy') }];
  return daemon.engines.toSorted(byStatus).map((engine): OverviewLine => {
    const text = describeEngine(engine, language);
    // Nobody needs all of them, so those that are not installed share one line.
    if (engine.status === 'not_installed' && engine.fix !== undefined)
      return { mark: 'info', text: say('labelled', { label: text, text: engine.fix }) };
    const remedy = remedyOf(engine, say, language);
    return { mark: markOf(engine), text, ...(remedy === null ? {} : { remedy }) };
  });
};

/** An engine in one line: version, account or what it lacks. */
export const describeEngine = (engine: EngineInfo, language?: OverviewInput['language']): string => {
  const say = sayIn(language);
  const { status, version, account, path, error } = engine;
  const title = labelText(engine, inLanguage(words, language ?? 'en'));
  const name = version === undefined ? title : `${title} ${version}`;
  switch (status) {
    case 'ready': {
      const ready = say('agent_ready', { name });
      const text = account === undefined ? ready : say('aside', { text: ready, aside: account });
      return path === undefined ? text : say('listed', { text, more: path });
    }
    case 'not_installed':
      return say(wantsServer(engine) ? 'agent_no_server' : 'agent_not_installed', { name });
    case 'too_old':
      return say('agent_too_old', { name });
    case 'not_logged_in':
      return say('agent_not_logged_in', { name });
    case 'unchecked':
      return say('agent_unchecked', { name });
    case 'failed':
      return error === undefined
        ? say('agent_failed', { name })
        : say('labelled', { label: say('agent_failed', { name }), text: errorText(error, inLanguage(words, language ?? 'en')).message });
  }
};

const remedyOf = ({ status, fix, error }: EngineInfo, say: Say, language: OverviewInput['language']): string | null => {
  if (status === 'ready' || status === 'unchecked') return null;
  if (fix === undefined && error !== undefined) return errorText(error, inLanguage(words, language ?? 'en')).remedy;
  return fix === undefined ? null : say('run', { command: fix });
};

const markOf = ({ status }: EngineInfo): OverviewLine['mark'] => {
  if (status === 'ready') return 'ok';
  return status === 'not_installed' || status === 'unchecked' ? 'info' : 'missing';
};

const sessionLines = ({ daemon, isResting }: OverviewInput, say: Say): OverviewLine[] => {
  if (daemon === null) {
    return [{ mark: 'info', text: say(isResting === true ? 'sessions_resting' : 'sessions_stopped') }];
  }
  if (daemon.sessions.length === 0) return [{ mark: 'info', text: say('no_session') }];
  const working = daemon.sessions.filter(({ status }) => status !== 'idle').length;
  const waiting = daemon.sessions.filter(({ openRequests }) => openRequests > 0).length;
  return [
    {
      mark: waiting > 0 ? 'missing' : 'ok',
      text: say('session_counts', { all: daemon.sessions.length, working, waiting }),
      ...(waiting > 0 ? { remedy: say('answer') } : {}),
    },
  ];
};
