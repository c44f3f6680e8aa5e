/** What is managed without leaving the terminal UI, as lists to choose from: agents and their settings, permissions, trust, folders, use. */
import { toCost } from '#display/amounts.ts';
import { classText } from '#display/audit.ts';
import { engineStatusText, labelText } from '#display/engines.ts';
import type { TrustedProject } from '#protocol/api.ts';
import type { BrowserInfo, Grant } from '#protocol/browser.ts';
import type { EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import type { Preferences, PreferencesChange } from '#protocol/preferences.ts';
import { SessionId } from '#protocol/ids.ts';
import type { Checkpoint } from '#protocol/work.ts';
import type { UsageReport } from '#protocol/usage.ts';
import { languageTag, say, t, type OwnText } from './say.ts';
import type { Choice } from './state.ts';

/** One list; that of an agent has its name behind the word. */
export type Area = 'home' | 'agents' | 'grants' | 'trust' | 'roots' | 'browser' | 'usage' | `agent ${string}` | `checkpoints ${SessionId}`;

/** What a list is changed by. */
export type ManageOrder =
  | { readonly type: 'engine.change'; readonly name: string; readonly change: EngineSettingsInput }
  | { readonly type: 'engine.secret'; readonly name: string; readonly secret: string; readonly value: string | null }
  | { readonly type: 'engine.add'; readonly name: string; readonly command: string; readonly args: readonly string[] }
  | { readonly type: 'engine.remove'; readonly name: string }
  | { readonly type: 'grant.remove'; readonly id: string }
  | { readonly type: 'trust.revoke'; readonly path: string }
  | { readonly type: 'root.add' | 'root.remove'; readonly path: string }
  | { readonly type: 'checkpoint.restore'; readonly sessionId: SessionId; readonly id: string }
  | { readonly type: 'preferences'; readonly change: PreferencesChange };

/** The row that adds something, the one for the browser used last, the one that says that there is nothing, and the beginning of those that are for a key. */
export const ADD = '+';
export const LAST_USED = '-';
export const NONE = '';
export const KEY_PREFIX = 'key ';

export const homeChoices = (): Choice[] => homeTexts.map(({ value, label, detail }) => ({ value, label: t(label), detail: t(detail) }));

const homeTexts: readonly { readonly value: string; readonly label: OwnText; readonly detail: OwnText }[] = [
  { value: 'agents', label: 'Agents', detail: 'on and off, program, address, keys, one of your own' },
  { value: 'grants', label: 'Permissions', detail: 'what is allowed without asking' },
  { value: 'trust', label: 'Trusted projects', detail: 'whose own files may start programs' },
  { value: 'roots', label: 'Folders', detail: 'where agents may work beside the home folder' },
  { value: 'usage', label: 'Use and limits', detail: 'tokens and cost by day, and what a day may cost' },
  { value: 'browser', label: 'Browser profile', detail: 'where new sessions work' },
];

export const isCheckpoints = (area: Area): area is `checkpoints ${SessionId}` => area.startsWith('checkpoints ');

export const sessionOf = (area: `checkpoints ${SessionId}`): SessionId => SessionId.parse(area.slice('checkpoints '.length));

export const titleOfArea = (area: Area): string => {
  if (area === 'home') return t('Manage');
  if (isCheckpoints(area)) return t('Checkpoints: the files as they were');
  return homeChoices().find(({ value }) => value === area)?.label ?? t('Agent {name}', { name: area.slice('agent '.length) });
};

export const agentsChoices = (setups: readonly EngineSetup[]): Choice[] => [
  ...setups.map(({ engine, isDisabled }): Choice => {
    const status = engineStatusText(say, engine);
    return {
      value: engine.name,
      label: labelText(engine, say),
      detail: isDisabled ? t('switched off') : [status, engine.version ?? ''].join(' ').trim(),
    };
  }),
  { value: ADD, label: t('Add an agent of your own…'), detail: t('any that speaks the Agent Client Protocol') },
];

export const agentChoices = ({ engine, isDisabled, settings, hasEndpoint, secrets, hasOpenSecrets }: EngineSetup): Choice[] => [
  isDisabled
    ? { value: 'enable', label: t('Switch it on'), detail: t('it is switched off') }
    : { value: 'disable', label: t('Switch it off'), detail: engineStatusText(say, engine) },
  ...(hasEndpoint
    ? [{ value: 'endpoint', label: t('Address'), detail: settings.endpoint ?? t('found by itself'), typed: settings.endpoint ?? '' }]
    : [
        {
          value: 'path',
          label: t('Program'),
          detail: settings.path ?? (engine.path === undefined ? t('found by itself') : t('found at {path}', { path: engine.path })),
          typed: settings.path ?? '',
        },
      ]),
  ...secrets.map(({ name, isSet, place }): Choice => ({
    value: `${KEY_PREFIX}${name}`,
    label: t('Key {name}', { name }),
    detail: t(isSet ? (place === 'keychain' ? 'stored in the keychain' : 'stored in a file') : 'not stored'),
  })),
  // Only of an agent of the user's own is it not known what it reads.
  ...(hasOpenSecrets ? [{ value: 'remove', label: t('Remove this agent'), detail: t('its sessions stay') }] : []),
];

export const grantChoices = (grants: readonly Grant[]): Choice[] =>
  orNone(
    t('Everything is asked for'),
    grants.map(({ id, origin, toolClass, tool, sessionId, client }) => ({
      value: id,
      label: say('labelled', { label: origin, text: subjectOf(toolClass, tool) }),
      detail: t(sessionId === null ? 'always, for {client}' : 'in one session, for {client}', { client: client.name }),
    })),
  );

const subjectOf = (toolClass: Grant['toolClass'], tool: string | null): string => {
  const text = classText(toolClass, say);
  return tool === null ? text : say('aside', { text, aside: tool });
};

export const trustChoices = (projects: readonly TrustedProject[]): Choice[] =>
  orNone(
    t('No project is trusted'),
    projects.map(({ path, files }) => ({ value: path, label: path, detail: files.join(', ') })),
  );

export const rootChoices = (roots: readonly string[]): Choice[] => [
  ...roots.map((root) => ({ value: root, label: root, detail: '' })),
  { value: ADD, label: t('Add a folder…'), detail: t('agents may then work in it, and below it') },
];

/** The browser used last, those that are connected, and the chosen one, which may be closed. */
export const browserChoices = (
  browsers: readonly Pick<BrowserInfo, 'browserId' | 'name' | 'label'>[],
  { defaultBrowser }: Pick<Preferences, 'defaultBrowser'>,
): Choice[] => {
  const chosen = t('chosen');
  const isClosed = defaultBrowser !== null && !browsers.some(({ browserId }) => browserId === defaultBrowser);
  return [
    { value: LAST_USED, label: t('The one used last'), detail: defaultBrowser === null ? chosen : '' },
    ...browsers.map(({ browserId, name, label }) => ({
      value: browserId,
      label: label.startsWith(name) ? label : `${name} · ${label}`,
      detail: browserId === defaultBrowser ? chosen : '',
    })),
    ...(isClosed ? [{ value: defaultBrowser, label: `…${defaultBrowser.slice(-4)}`, detail: t('chosen, not open') }] : []),
  ];
};

/** The newest first, as they come. */
export const checkpointChoices = (checkpoints: readonly Checkpoint[]): Choice[] =>
  orNone(
    t('There is no checkpoint yet'),
    checkpoints.map(({ id, kind, at }) => ({
      value: id,
      label: new Date(at).toLocaleString(languageTag()),
      detail: t(kind === 'turn' ? 'before a turn' : 'before something was brought back'),
    })),
  );

/** The limits first, then the days. */
export const usageChoices = (
  { rows, today }: UsageReport,
  { dailyCostUsd, dailyTokens }: Pick<Preferences, 'dailyCostUsd' | 'dailyTokens'>,
): Choice[] => [
  {
    value: 'dailyCostUsd',
    label: t('Dollars a day'),
    detail: t('{limit}; today {used}', { limit: limitText(dailyCostUsd), used: toCost(today.costUsd) }),
  },
  {
    value: 'dailyTokens',
    label: t('Tokens a day'),
    detail: t('{limit}; today {used}', { limit: limitText(dailyTokens), used: number(today.totalTokens) }),
  },
  ...rows.map(({ day, totalTokens, costUsd, turns }): Choice => ({
    value: `day ${day ?? ''}`,
    label: day ?? '',
    detail: t('{tokens} tokens, {cost}, {turns turn|turns}', {
      tokens: number(totalTokens),
      cost: costUsd === null ? t('no cost told') : toCost(costUsd),
      turns,
    }),
  })),
];

const orNone = (label: string, choices: Choice[]): Choice[] => (choices.length > 0 ? choices : [{ value: NONE, label, detail: '' }]);

const limitText = (limit: number | null): string => (limit === null ? t('no limit') : t('at most {limit}', { limit: number(limit) }));

const number = (value: number): string => value.toLocaleString(languageTag());
