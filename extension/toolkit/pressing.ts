/** Presses a key in the page: a real one where that can be had. */
import { type Chord, isClipboardChord } from '#extension/shared/keys.ts';
import { goneWhenChanged } from './page-error.ts';
import type { Input, Page } from './page.ts';
import { withRealInput } from './real-input.ts';

/** How a key was pressed. */
export type KeyPress = 'real' | 'events' | 'clipboard';

/** `beginPress` was asked before. */
export const pressChord = async (page: Page, frameId: number, chord: Chord, holdMs: number): Promise<KeyPress> => {
  const byEvents = async (way: KeyPress): Promise<KeyPress> => {
    await page.ask('pressByEvents', chord, frameId).catch(goneWhenChanged);
    return way;
  };
  if (isClipboardChord(chord)) return byEvents('clipboard');
  const real = async (input: Input): Promise<KeyPress> => {
    await input.pressKey(chord, holdMs, () => page.ask('holdsPress', null, frameId));
    return 'real';
  };
  return withRealInput(page, frameId, real, () => byEvents('events'));
};
