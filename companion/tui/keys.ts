/** What a terminal sends, as keys, pastes and mouse events. */
import { beginning } from '#protocol/beginning.ts';

export type Input =
  /** `key` is a name such as `a`, `A`, `C-x`, `M-enter`, `S-tab`, `pageup`. */
  | { readonly type: 'key'; readonly key: string }
  /** `isCut`: it was longer than what is kept. */
  | { readonly type: 'paste'; readonly text: string; readonly isCut: boolean }
  | { readonly type: 'mouse'; readonly action: 'press' | 'wheelup' | 'wheeldown'; readonly column: number; readonly row: number };

const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/** The longest paste that is kept; the rest is dropped, and that is told. */
const MAX_PASTE_UNITS = 1_000_000;

/** Splits the stream of one terminal; sequences may be cut anywhere between two pushes. */
export class KeyReader {
  #pending = '';
  /** What has come of an unfinished paste; null outside of a paste. */
  #pasted: string | null = null;

  push(text: string): Input[] {
    this.#pending += text;
    return this.#read(false);
  }

  /** A lone ESC may be the Escape key or the beginning of a sequence; after a moment of silence it is the key. */
  flush(): Input[] {
    return this.#pasted === null ? this.#read(true) : [];
  }

  get isPending(): boolean {
    return this.#pending !== '' && this.#pasted === null;
  }

  #read(isFinal: boolean): Input[] {
    const inputs: Input[] = [];
    while (this.#pending !== '') {
      if (this.#pasted !== null) {
        const before = this.#pending.length;
        inputs.push(...this.#readPaste(this.#pasted));
        if (this.#pasted !== null || this.#pending.length === before) return inputs;
      } else if (this.#pending.startsWith(PASTE_START)) {
        this.#pending = this.#pending.slice(PASTE_START.length);
        this.#pasted = '';
      } else {
        const length = sequenceLength(this.#pending);
        if (length === null && !isFinal) return inputs;
        const sequence = this.#pending.slice(0, length ?? 1);
        this.#pending = this.#pending.slice(sequence.length);
        const input = toInput(sequence);
        if (input !== null) inputs.push(input);
      }
    }
    return inputs;
  }

  #readPaste(begun: string): Input[] {
    const end = this.#pending.indexOf(PASTE_END);
    if (end < 0) {
      // The end marker itself may be split.
      const safe = Math.max(0, this.#pending.length - PASTE_END.length);
      // One unit too many tells later that there was more.
      this.#pasted = (begun + this.#pending.slice(0, safe)).slice(0, MAX_PASTE_UNITS + 1);
      this.#pending = this.#pending.slice(safe);
      return [];
    }
    const text = begun + this.#pending.slice(0, end);
    this.#pasted = null;
    this.#pending = this.#pending.slice(end + PASTE_END.length);
    return [{ type: 'paste', text: beginning(text, MAX_PASTE_UNITS), isCut: text.length > MAX_PASTE_UNITS }];
  }
}

/** The length of the first key in `text`, or null when more must come to tell. */
const sequenceLength = (text: string): number | null => {
  if (!text.startsWith('\u001b')) return String.fromCodePoint(text.codePointAt(0) ?? 0).length;
  const introducer = text[1];
  if (introducer === undefined) return null;
  if (introducer === '[') {
    const match = /^[0-?]*[ -/]*[@-~]/u.exec(text.slice(2));
    if (match !== null) return 2 + match[0].length;
    return /^[0-?]*[ -/]*$/u.test(text.slice(2)) ? null : 2;
  }
  if (introducer === 'O') return text.length < 3 ? null : 3;
  if (introducer === '\u001b') return 1;
  return 1 + String.fromCodePoint(text.codePointAt(1) ?? 0).length;
};

const toInput = (sequence: string): Input | null => {
  const mouse = /^\[<(\d+);(\d+);(\d+)([Mm])$/u.exec(sequence.slice(1));
  if (mouse !== null) return toMouse(Number(mouse[1]), Number(mouse[2]), Number(mouse[3]), mouse[4] === 'M');
  const key = toKey(sequence);
  return key === null ? null : { type: 'key', key };
};

const toMouse = (button: number, column: number, row: number, isPress: boolean): Input | null => {
  const place = { column: column - 1, row: row - 1 };
  if (button === 64) return { type: 'mouse', action: 'wheelup', ...place };
  if (button === 65) return { type: 'mouse', action: 'wheeldown', ...place };
  return button === 0 && isPress ? { type: 'mouse', action: 'press', ...place } : null;
};

const toKey = (sequence: string): string | null => {
  if (!sequence.startsWith('\u001b')) return plainKey(sequence);
  if (sequence === '\u001b') return 'escape';
  if (sequence.startsWith('\u001b[') || sequence.startsWith('\u001bO'))
    return sequence.length === 2 ? `M-${sequence[1]}` : namedKey(sequence);
  const rest = plainKey(sequence.slice(1));
  return rest === null ? null : `M-${rest}`;
};

const plainKey = (text: string): string | null => {
  const unit = text.charCodeAt(0);
  if (text === '\r') return 'enter';
  if (text === '\t') return 'tab';
  if (text === ' ') return 'space';
  if (text === '\u007f' || text === '\b') return 'backspace';
  if (text === '\u0000') return 'C-space';
  if (unit <= 0x1a) return `C-${String.fromCharCode(unit + 0x60)}`;
  return unit < 0x20 ? null : text;
};

/** xterm's and the VT220's names, and the modifier in the second parameter: 1 + shift 1 + alt 2 + control 4. */
const namedKey = (sequence: string): string | null => {
  const match = /^[[O](\d*)(?:;(\d+))?(?:;(\d+))?([A-Za-z~])$/u.exec(sequence.slice(1));
  if (match === null) return null;
  const [, first = '', second, third, final = ''] = match;
  // CSI 27;modifier;code~ and CSI code;modifier u: keys that have no sequence of their own, such as Shift+Enter.
  if (first === '27' && final === '~' && third !== undefined) return withModifier(codeKeys.get(third), second);
  const name = final === 'u' ? codeKeys.get(first) : final === '~' ? numberedKeys.get(first) : letterKeys.get(final);
  return final === 'Z' ? 'S-tab' : withModifier(name, second);
};

const withModifier = (name: string | undefined, modifier: string | undefined): string | null => {
  if (name === undefined) return null;
  const bits = Number(modifier ?? '1') - 1;
  return `${(bits & 4) === 0 ? '' : 'C-'}${(bits & 2) === 0 ? '' : 'M-'}${(bits & 1) === 0 ? '' : 'S-'}${name}`;
};

const letterKeys: ReadonlyMap<string, string> = new Map([
  ['A', 'up'],
  ['B', 'down'],
  ['C', 'right'],
  ['D', 'left'],
  ['F', 'end'],
  ['H', 'home'],
  ['P', 'f1'],
  ['Q', 'f2'],
]);
const numberedKeys: ReadonlyMap<string, string> = new Map([
  ['1', 'home'],
  ['3', 'delete'],
  ['4', 'end'],
  ['5', 'pageup'],
  ['6', 'pagedown'],
  ['7', 'home'],
  ['8', 'end'],
  ['11', 'f1'],
  ['12', 'f2'],
]);
const codeKeys: ReadonlyMap<string, string> = new Map([
  ['9', 'tab'],
  ['13', 'enter'],
  ['27', 'escape'],
  ['127', 'backspace'],
]);
