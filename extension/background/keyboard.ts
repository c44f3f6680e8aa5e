/** The keys of the debugger's Input domain. They go wherever the focus is, so the frames of other sites are stopped meanwhile. */
import { CompanionError } from '#protocol/errors.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { isOnMac, type Chord, type Modifier, positionOf } from '#extension/shared/keys.ts';
import { DocumentChangedError } from '#extension/toolkit/page-error.ts';
import type { Replacing } from '#extension/toolkit/page.ts';
import { reacts } from './alive.ts';
import type { Debugger } from './debugger.ts';
import type { Frame } from './documents.ts';
import type { PageDocument } from './inject.ts';
import { shownIn } from './made-pages.ts';
import { pause } from './queue.ts';
import type { StoppedFrames } from './stopped-frames.ts';

/** https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-dispatchKeyEvent */
const MODIFIER_BITS: Record<Modifier, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

/** Modifier keys as the Input domain counts them. */
export const modifierBits = (modifiers: readonly Modifier[]): number =>
  modifiers.reduce((bits, modifier) => bits | MODIFIER_BITS[modifier], 0);

const SELECT_ALL: { readonly Mac: Chord; readonly other: Chord } = {
  Mac: { key: 'a', modifiers: ['Meta'] },
  other: { key: 'a', modifiers: ['Control'] },
};

export class Keyboard {
  readonly #attached: Debugger;
  readonly #tabId: number;
  readonly #page: PageDocument;
  /** Null while the tab has no frame of another site. */
  #stopped: Stopped | null = null;

  /** `page` is the document that may be typed into. */
  constructor(attached: Debugger, tabId: number, page: PageDocument) {
    this.#attached = attached;
    this.#tabId = tabId;
    this.#page = page;
  }

  /** Runs `type` with the frames of other sites stopped, and none of them beginning to load. */
  async whileFramesStand(type: () => Promise<void>): Promise<void> {
    const origin = originOf(this.#page.url);
    try {
      await this.#attached.holdFrames(origin);
      const frames = await shownIn(this.#tabId);
      if (!frames.every((frame) => this.#isOwn(frame))) {
        const stopped = await this.#attached.stopFrames(origin, frames.length);
        // One of another origin of the same site may run in the process of the page, which stands still then, too.
        if (stopped === null || !(await reacts(this.#tabId))) throw foreignFrame();
        this.#stopped = { frames: stopped, documents: new Set(frames.map(({ documentId }) => documentId)) };
      }
      await type();
    } finally {
      this.#stopped = null;
      await this.#attached.letFramesGo();
    }
  }

  /** Replaces what is in the focused field, or what is marked in it. */
  async replace(text: string, { way, marksByKey, isHeld }: Replacing): Promise<void> {
    await this.#attached.focus();
    await this.#check(isHeld);
    if (marksByKey) await this.#key(isOnMac() ? SELECT_ALL.Mac : SELECT_ALL.other);
    if (text === '') return this.#key(plain('Backspace'));
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      await this.#check(isHeld);
      if (index > 0) await this.#key(plain('Enter'));
      if (line === '') continue;
      // A text that is inserted goes into a frame that stands still, too.
      if (way === 'lines' && this.#stopped === null) await this.#insert(line);
      // The page hears of each key, and may move on to another field of its own, as forms for codes do.
      else for (const character of line) await this.#key(plain(character));
    }
  }

  async enter(isHeld: () => Promise<boolean>): Promise<void> {
    await this.#check(isHeld);
    await this.#key(plain('Enter'));
  }

  /** Presses a key in whatever has the focus, the keys with it first, and lets it go after `holdMs`. */
  async press(chord: Chord, holdMs: number, isHeld: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    await this.#attached.focus();
    await this.#check(isHeld);
    const held: Modifier[] = [];
    try {
      for (const modifier of chord.modifiers) {
        held.push(modifier);
        await this.#attached.send('Input.dispatchKeyEvent', { ...eventOf({ key: modifier, modifiers: held }), type: 'rawKeyDown' });
      }
      // The page heard of the keys held down, and may have moved the focus.
      if (held.length > 0) await this.#check(isHeld);
      await this.#key(chord, () => (holdMs === 0 ? Promise.resolve() : pause(holdMs, signal)));
    } finally {
      for (let modifier = held.pop(); modifier !== undefined; modifier = held.pop()) {
        await this.#attached.release('Input.dispatchKeyEvent', { ...eventOf({ key: modifier, modifiers: held }), type: 'keyUp' });
      }
    }
  }

  async #insert(text: string): Promise<void> {
    await this.#checkFrames();
    await this.#attached.send('Input.insertText', { text });
  }

  async #key(chord: Chord, hold: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.#checkFrames();
    const event = eventOf(chord);
    const text = textOf(chord);
    const pressed = text === undefined ? { type: 'rawKeyDown' } : { type: 'keyDown', text, unmodifiedText: text };
    const commands = isCommand(chord) && chord.key.toLowerCase() === 'a' ? ['selectAll'] : [];
    try {
      await this.#attached.send('Input.dispatchKeyEvent', { ...event, ...pressed, commands });
      await hold();
    } finally {
      await this.#attached.release('Input.dispatchKeyEvent', { ...event, type: 'keyUp' });
    }
  }

  async #check(isHeld: () => Promise<boolean>): Promise<void> {
    await this.#checkFrames();
    if (!(await isHeld())) throw new CompanionError('TARGET_NOT_READY', 'The page moved the focus away.');
  }

  /** Throws unless every frame of another site stands still; it is looked anew before each key, for a frame may come at any moment. */
  async #checkFrames(): Promise<void> {
    const frames = await shownIn(this.#tabId);
    const own = frames.find(({ frameId }) => frameId === this.#page.frameId);
    if (own?.documentId !== this.#page.documentId) throw new DocumentChangedError();
    const stopped = this.#stopped;
    const mayTakeKeys = (frame: Frame): boolean => !this.#isOwn(frame) && stopped?.documents.has(frame.documentId) !== true;
    if (frames.some(mayTakeKeys) || stopped?.frames.areAll === false) throw foreignFrame();
  }

  #isOwn({ url }: Frame): boolean {
    return url === '' || url.startsWith('about:') || originOf(url) === originOf(this.#page.url);
  }
}

interface Stopped {
  readonly frames: StoppedFrames;
  readonly documents: ReadonlySet<string>;
}

const foreignFrame = (): CompanionError =>
  new CompanionError('TARGET_NOT_READY', 'The page holds a frame of another site that cannot be stopped, and real keys could go into it.');

const plain = (key: string): Chord => ({ key, modifiers: [] });

const isCommand = ({ modifiers }: Chord): boolean => modifiers.includes('Control') || modifiers.includes('Meta');

/** What the key writes; undefined where it writes nothing. */
const textOf = (chord: Chord): string | undefined => {
  if (chord.key === 'Enter') return '\r';
  return !/^.$/su.test(chord.key) || isCommand(chord) || chord.modifiers.includes('Alt') ? undefined : chord.key;
};

const eventOf = ({ key, modifiers }: Chord): Record<string, unknown> => {
  const { code, keyCode } = positionOf(key);
  return { key, code, windowsVirtualKeyCode: keyCode, modifiers: modifierBits(modifiers) };
};
