/** What is managed without leaving the terminal UI, as lists to choose from: agents and their settings, permissions, trust, folders, use. */
import { counted } from '#display/counted.ts';
import { engineStatusText } from '#display/engines.ts';
import type { TrustedProject } from '#protocol/api.ts';
import type { Grant } from '#protocol/browser.ts';
import type { EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import type { Preferences, PreferencesChange } from '#protocol/preferences.ts';
import { SessionId } from '#protocol/ids.ts';
import type { Checkpoint } from '#protocol/work.ts';
import type { UsageReport } from '#protocol/usage.ts';
import { LANGUAGE, say } from './say.ts';
import type { Choice } from './state.ts';

/** One list; that of an agent has its name behind the word. */
export type Area = 'home' | 'agents' | 'grants' | 'trust' | 'roots' | 'usage' | `agent ${string}` | `checkpoints ${SessionId}`;

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

/** The row that adds something, the one that says that there is nothing, and the beginning of those that are for a key. */
export const ADD = '+';
export const NONE = '';
export const KEY_PREFIX = 'key ';
/** What stands before a program or an address that nobody has set. */
export const FOUND = 'found ';

export const homeChoices: readonly Choice[] = [
  { value: 'agents', label: 'Agents', detail: 'on and off, program, address, keys, one of your own' },
  { value: 'grants', label: 'Permissions', detail: 'what is allowed without asking' },
  { value: 'trust', label: 'Trusted projects', detail: 'whose own files may start programs' },
  { value: 'roots', label: 'Folders', detail: 'where agents may work beside the home folder' },
  { value: 'usage', label: 'Use and limits', detail: 'tokens and cost by day, and what a day may cost' },
];

export const isCheckpoints = (area: Area): area is `checkpoints ${SessionId}` => area.startsWith('checkpoints ');

export const sessionOf = (area: `checkpoints ${SessionId}`): SessionId => SessionId.parse(area.slice('checkpoints '.length));

export const titleOfArea = (area: Area): string => {
  if (area === 'home') return 'Manage';
  if (isCheckpoints(area)) return 'Checkpoints: the files as they were';
  return homeChoices.find(({ value }) => value === area)?.label ?? `Agent ${area.slice('agent '.length)}`;
};

export const agentsChoices = (setups: readonly EngineSetup[]): Choice[] => [
  ...setups.map(({ engine, isDisabled }): Choice => {
    const status = engineStatusText(say, engine);
    return {
      value: engine.name,
      label: engine.label,
      detail: isDisabled ? 'switched off' : [status, engine.version ?? ''].join(' ').trim(),
    };
  }),
  { value: ADD, label: 'Add an agent of your own…', detail: 'any that speaks the Agent Client Protocol' },
];

export const agentChoices = ({ engine, isDisabled, settings, hasEndpoint, secrets, hasOpenSecrets }: EngineSetup): Choice[] => [
  isDisabled
    ? { value: 'enable', label: 'Switch it on', detail: 'it is switched off' }
    : { value: 'disable', label: 'Switch it off', detail: engineStatusText(say, engine) },
  ...(hasEndpoint
    ? [{ value: 'endpoint', label: 'Address', detail: settings.endpoint ?? `${FOUND}by itself` }]
    : [
        {
          value: 'path',
          label: 'Program',
          detail: settings.path ?? `${FOUND}${engine.path === undefined ? 'by itself' : `at ${engine.path}`}`,
        },
      ]),
  ...secrets.map(({ name, isSet, place }): Choice => ({
    value: `${KEY_PREFIX}${name}`,
    label: `Key ${name}`,
    detail: isSet ? `stored in ${place === 'keychain' ? 'the keychain' : 'a file'}` : 'not stored',
  })),
  // Only of an agent of the user's own is it not known what it reads.
  ...(hasOpenSecrets ? [{ value: 'remove', label: 'Remove this agent', detail: 'its sessions stay' }] : []),
];

export const grantChoices = (grants: readonly Grant[]): Choice[] =>
  orNone(
    'Everything is asked for',
    grants.map(({ id, origin, toolClass, tool, sessionId, client }) => ({
      value: id,
      label: `${origin}: ${tool === null ? toolClass : `${toolClass} (${tool})`}`,
      detail: `${sessionId === null ? 'always' : 'in one session'}, for ${client.name}`,
    })),
  );

export const trustChoices = (projects: readonly TrustedProject[]): Choice[] =>
  orNone(
    'No project is trusted',
    projects.map(({ path, files }) => ({ value: path, label: path, detail: files.join(', ') })),
  );

export const rootChoices = (roots: readonly string[]): Choice[] => [
  ...roots.map((root) => ({ value: root, label: root, detail: '' })),
  { value: ADD, label: 'Add a folder…', detail: 'agents may then work in it, and below it' },
];

/** The newest first, as they come. */
export const checkpointChoices = (checkpoints: readonly Checkpoint[]): Choice[] =>
  orNone(
    'There is no checkpoint yet',
    checkpoints.map(({ id, kind, at }) => ({
      value: id,
      label: new Date(at).toLocaleString(LANGUAGE),
      detail: kind === 'turn' ? 'before a turn' : 'before something was brought back',
    })),
  );

/** The limits first, then the days. */
export const usageChoices = (
  { rows, today }: UsageReport,
  { dailyCostUsd, dailyTokens }: Pick<Preferences, 'dailyCostUsd' | 'dailyTokens'>,
): Choice[] => [
  { value: 'dailyCostUsd', label: 'Dollars a day', detail: `${limitText(dailyCostUsd)}; today $${today.costUsd.toFixed(2)}` },
  { value: 'dailyTokens', label: 'Tokens a day', detail: `${limitText(dailyTokens)}; today ${number(today.totalTokens)}` },
  ...rows.map(({ day, totalTokens, costUsd, turns }): Choice => ({
    value: `day ${day ?? ''}`,
    label: day ?? '',
    detail: `${number(totalTokens)} tokens, ${costUsd === null ? 'no cost told' : `$${costUsd.toFixed(2)}`}, ${counted(turns, 'turn')}`,
  })),
];

const orNone = (label: string, choices: Choice[]): Choice[] => (choices.length > 0 ? choices : [{ value: NONE, label, detail: '' }]);

const limitText = (limit: number | null): string => (limit === null ? 'no limit' : `at most ${number(limit)}`);

const number = (value: number): string => value.toLocaleString('en-GB');
