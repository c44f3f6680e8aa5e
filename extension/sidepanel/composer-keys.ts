/** What a key means in the composer; pure, so that every combination can be tested. */
import type { Look } from '#extension/shared/look.ts';

export interface ComposerKey {
  readonly key: string;
  readonly keyCode: number;
  readonly isComposing: boolean;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

export interface ComposerSituation {
  /** What Enter by itself does. */
  readonly enter: 'send' | 'line';
  readonly isRunning: boolean;
  readonly canSteer: boolean;
  readonly isEmpty: boolean;
  /** Whether the field holds a prompt of before, as it was. */
  readonly isRecalling: boolean;
}

/** What Enter by itself does with this text. */
export const enterWith = (text: string, chosen: Look['enter']): ComposerSituation['enter'] =>
  chosen === 'lines' ? (text.includes('\n') ? 'line' : 'send') : chosen;

/** `none` leaves the key to the text field, `ignore` swallows it. */
export type ComposerAction = 'send' | 'queue' | 'steer' | 'stop' | 'older' | 'newer' | 'ignore' | 'none';

/** While an input method composes, keys belong to it: Chrome reports 229 for the Enter that ends a composition. */
const IME_KEY_CODE = 229;

export const composerAction = (key: ComposerKey, situation: ComposerSituation): ComposerAction => {
  if (key.isComposing || key.keyCode === IME_KEY_CODE) return 'none';
  if (key.key === 'Escape') return situation.isRunning ? 'stop' : 'none';
  if (key.key === 'ArrowUp') return (situation.isEmpty || situation.isRecalling) && !hasModifier(key) ? 'older' : 'none';
  if (key.key === 'ArrowDown') return situation.isRecalling && !hasModifier(key) ? 'newer' : 'none';
  if (key.key !== 'Enter' || key.altKey) return 'none';
  const isCommand = key.ctrlKey || key.metaKey;
  // Where Enter makes a line, Ctrl and Enter send as Enter does elsewhere, and with Shift they steer.
  const sends = situation.enter === 'send' ? !key.shiftKey : isCommand;
  const steers = situation.enter === 'send' ? isCommand : key.shiftKey;
  if (!sends) return 'none';
  if (situation.isEmpty) return 'ignore';
  if (!situation.isRunning) return 'send';
  return steers && situation.canSteer ? 'steer' : 'queue';
};

const hasModifier = (key: ComposerKey): boolean => key.shiftKey || key.ctrlKey || key.metaKey || key.altKey;
