/** Model, mode and effort of a running claude: what Pilotfish sets, and what claude changes by itself. */
import type { SessionSettings } from '#protocol/events.ts';
import { notice } from '#protocol/notices.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { detailOf } from '../errors.ts';
import type { Control } from './control.ts';

export class Settings {
  readonly #control: Control;
  #known: Pick<SessionSettings, 'model' | 'mode' | 'effort'>;

  constructor(control: Control, initial: SessionSettings) {
    this.#control = control;
    this.#known = initial;
  }

  configure({ model, mode, effort }: SessionSettings): Effect[] {
    const before = this.#known;
    this.#known = { model, mode, effort };
    return [
      ...(model === before.model ? [] : this.#set('model', { subtype: 'set_model', model: model ?? 'default' })),
      ...(mode === before.mode ? [] : this.#set('mode', { subtype: 'set_permission_mode', mode: mode ?? 'default' })),
      ...(effort === before.effort ? [] : this.#set('effort', { subtype: 'apply_flag_settings', settings: { effortLevel: effort } })),
    ];
  }

  /** Claude says which mode it is in. */
  noteMode(mode: string): Effect[] {
    if (mode === (this.#known.mode ?? 'default')) return [];
    this.#known = { ...this.#known, mode };
    return [say({ type: 'settings.changed', settings: { mode } })];
  }

  #set(what: 'model' | 'mode' | 'effort', request: Record<string, unknown>): Effect[] {
    return this.#control.send(request, (answer) =>
      answer.isOk ? [] : [say({ type: 'notice', level: 'warning', ...notice(`${what}_refused`, { reason: detailOf(answer.error) }) })],
    );
  }
}
