/** Managing without leaving the terminal UI: choosing in the lists of manage.ts, and what is typed for them. */
import { EngineName } from '#protocol/engine-setup.ts';
import { BrowserId } from '#protocol/ids.ts';
import { draftOf, emptyDraft } from '../editing.ts';
import {
  ADD,
  isCheckpoints,
  sessionOf,
  LAST_USED,
  NONE,
  homeChoices,
  KEY_PREFIX,
  titleOfArea,
  type Area,
  type ManageOrder,
} from '../manage.ts';
import { t } from '../say.ts';
import { outcome, type Choice, type Outcome, type Overlay, type TuiState } from '../state.ts';

type Picker = Extract<Overlay, { type: 'picker' }>;
type Input = Extract<Overlay, { type: 'input' }>;

/** Chooses what to manage. */
export const openManage = (state: TuiState): Outcome => outcome({ ...state, overlay: picker('home', homeChoices()) });

/** Chooses a state of the session's folder to go back to. */
export const openCheckpoints = (state: TuiState): Outcome =>
  state.session === null ? outcome(state) : readArea(state, `checkpoints ${state.session.sessionId}`);

/** Esc leads one step back: from what is typed or confirmed to its list, from a list to the one before. Null where nothing is managed. */
export const leaveManage = (state: TuiState): Outcome | null => {
  const { overlay } = state;
  if (overlay?.type === 'input' && overlay.managed !== undefined) return readArea(state, overlay.managed.area);
  if (overlay?.type === 'confirm' && overlay.effect.type === 'manage.do') return readArea(state, overlay.effect.area);
  if (overlay?.type !== 'picker' || overlay.area === undefined || overlay.area === 'home') return null;
  if (isCheckpoints(overlay.area)) return null;
  return overlay.area.startsWith('agent ') ? readArea(state, 'agents') : openManage(state);
};

/** Goes on with the list of what was confirmed; null where something else was. */
export const confirmManaged = (state: TuiState): Outcome | null => {
  const { overlay } = state;
  if (overlay?.type !== 'confirm' || overlay.effect.type !== 'manage.do') return null;
  return carryOut(state, overlay.effect.area, overlay.effect.order);
};

/** Takes a list that was read, unless the person is somewhere else by now. */
export const takeManaged = (state: TuiState, area: Area, choices: readonly Choice[]): TuiState => {
  const { overlay } = state;
  if (overlay?.type !== 'picker' || overlay.area !== area) return state;
  return { ...state, overlay: { ...overlay, choices, index: Math.min(overlay.index, Math.max(0, choices.length - 1)) } };
};

/** Does what the chosen row is for. */
export const pickManaged = (state: TuiState, area: Area, { value, label, typed = '' }: Choice): Outcome => {
  if (value === NONE) return outcome(state);
  const remove = (text: string, order: ManageOrder): Outcome =>
    outcome({ ...state, overlay: { type: 'confirm', text, effect: { type: 'manage.do', area, order } } });
  const ask = (title: string, text = '', isSecret = false): Outcome =>
    outcome({
      ...state,
      overlay: {
        type: 'input',
        purpose: 'managed',
        title,
        draft: text === '' ? emptyDraft : draftOf(text),
        managed: { area, field: value, isSecret },
      },
    });
  switch (area) {
    case 'home':
      return isArea(value) ? readArea(state, value) : outcome(state);
    case 'agents':
      return value === ADD ? ask(t('Name, command and arguments (mine node agent.js)')) : readArea(state, `agent ${value}`);
    case 'grants':
      return remove(t('Ask again for {what}?', { what: label }), { type: 'grant.remove', id: value });
    case 'trust':
      return remove(t('Trust {what} no longer?', { what: label }), { type: 'trust.revoke', path: value });
    case 'roots':
      return value === ADD
        ? ask(t('Folder'))
        : remove(t('Let agents work in {folder} no longer?', { folder: label }), { type: 'root.remove', path: value });
    case 'browser':
      return carryOut(state, area, {
        type: 'preferences',
        change: { defaultBrowser: value === LAST_USED ? null : BrowserId.parse(value) },
      });
    case 'usage':
      return value.startsWith('day ') ? outcome(state) : ask(t('{what}; nothing for no limit', { what: label }));
    default:
      if (isCheckpoints(area)) {
        const sessionId = sessionOf(area);
        return remove(t('Bring the files back as they were: {what}?', { what: label }), {
          type: 'checkpoint.restore',
          sessionId,
          id: value,
        });
      }
      return pickOfAgent(state, area, value, { ask, typed });
  }
};

const pickOfAgent = (
  state: TuiState,
  area: Area,
  value: string,
  {
    ask,
    typed,
  }: {
    ask: (title: string, text?: string, isSecret?: boolean) => Outcome;
    typed: string;
  },
): Outcome => {
  const name = area.slice('agent '.length);
  if (value === 'enable' || value === 'disable') {
    return carryOut(state, area, { type: 'engine.change', name, change: { isDisabled: value === 'disable' } });
  }
  if (value === 'path') return ask(t('Program; nothing to have it found'), typed);
  if (value === 'endpoint') return ask(t('Address; nothing to have it found'), typed);
  if (value.startsWith(KEY_PREFIX)) return ask(t('{key}; nothing takes it away', { key: value.slice(KEY_PREFIX.length) }), '', true);
  return value === 'remove'
    ? outcome({
        ...state,
        overlay: {
          type: 'confirm',
          text: t('Remove the agent {name}?', { name }),
          effect: { type: 'manage.do', area: 'agents', order: { type: 'engine.remove', name } },
        },
      })
    : outcome(state);
};

/** Uses what was typed. A wrong value stays in the line, with the form it must have before it. */
export const submitManaged = (state: TuiState, input: Input): Outcome => {
  const { managed } = input;
  if (managed === undefined) return outcome({ ...state, overlay: null });
  const order = orderOf(managed.area, managed.field, input.draft.text.trim());
  if (typeof order === 'string') return outcome({ ...state, overlay: { ...input, title: order } });
  return order === null ? readArea(state, managed.area) : carryOut(state, managed.area, order);
};

/** What the text orders; null when nothing is to be done, a sentence when it is wrong. */
const orderOf = (area: Area, field: string, text: string): ManageOrder | null | string => {
  if (area === 'agents') {
    const [name, command, ...args] = (text.match(/"[^"]*"|'[^']*'|\S+/gu) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/u, '$2'));
    if (text === '') return null;
    if (name === undefined || command === undefined) return t('A name, then the command');
    if (!EngineName.safeParse(name).success) return t('The name has small letters, digits, - and _ only');
    return { type: 'engine.add', name, command, args };
  }
  if (area === 'roots') return text === '' ? null : { type: 'root.add', path: text };
  if (area === 'usage') {
    const value = text === '' ? null : Number(text.replaceAll(/[,_ ]/gu, ''));
    if (field === 'dailyTokens') {
      return value === null || (Number.isInteger(value) && value > 0)
        ? { type: 'preferences', change: { dailyTokens: value } }
        : t('A whole number above 0, or nothing');
    }
    return value === null || value > 0 ? { type: 'preferences', change: { dailyCostUsd: value } } : t('A number above 0, or nothing');
  }
  const name = area.slice('agent '.length);
  const value = text === '' ? null : text;
  if (field.startsWith(KEY_PREFIX)) return { type: 'engine.secret', name, secret: field.slice(KEY_PREFIX.length), value };
  return { type: 'engine.change', name, change: field === 'path' ? { path: value } : { endpoint: value } };
};

const carryOut = (state: TuiState, area: Area, order: ManageOrder): Outcome =>
  outcome({ ...state, overlay: picker(area, []) }, { type: 'manage.do', area, order });

const readArea = (state: TuiState, area: Area): Outcome => outcome({ ...state, overlay: picker(area, []) }, { type: 'manage.read', area });

const picker = (area: Area, choices: readonly Choice[]): Picker => ({
  type: 'picker',
  purpose: 'manage',
  title: titleOfArea(area),
  choices,
  index: 0,
  filter: '',
  engine: null,
  area,
});

const isArea = (value: string): value is Exclude<Area, 'home'> => homeChoices().some((choice) => choice.value === value);
