/** Model, mode and effort of a running claude: what we set, and what it changes by itself. */
import type { SessionSettings } from '#protocol/events.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { detailOf } from '../errors.ts';
import type { Control } from './control.ts';

export interface Settings {
  configure(settings: SessionSettings): Effect[];
  /** Claude says which mode it is in. */
  isMode(mode: string): Effect[];
}

export const createSettings = (control: Control, initial: SessionSettings): Settings => {
  let known: Pick<SessionSettings, 'model' | 'mode' | 'effort'> = initial;

  const set = (what: string, request: Record<string, unknown>): Effect[] =>
    control.send(request, (answer) =>
      answer.isOk ? [] : [say({ type: 'notice', level: 'warning', text: `The ${what} could not be changed: ${detailOf(answer.error)}` })],
    );

  return {
    configure: ({ model, mode, effort }) => {
      const before = known;
      known = { model, mode, effort };
      return [
        ...(model === before.model ? [] : set('model', { subtype: 'set_model', model: model ?? 'default' })),
        ...(mode === before.mode ? [] : set('mode', { subtype: 'set_permission_mode', mode: mode ?? 'default' })),
        ...(effort === before.effort ? [] : set('effort', { subtype: 'apply_flag_settings', settings: { effortLevel: effort } })),
      ];
    },
    isMode: (mode) => {
      if (mode === (known.mode ?? 'default')) return [];
      known = { ...known, mode };
      return [say({ type: 'settings.changed', settings: { mode } })];
    },
  };
};
