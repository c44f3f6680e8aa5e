/** What a terminal sends, as keys, pastes and mouse events. */

export type Input =
  /** `key` is a name such as `a`, `A`, `C-x`, `M-enter`, `S-tab`, `pageup`. */
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'mouse'; readonly action: 'press' | 'wheelup' | 'wheeldown'; readonly column: number; readonly row: number };

export interface KeyReader {
  push(text: string): Input[];
  /** A lone ESC may be the Escape key or the beginning of a sequence; after a moment of silence it is the key. */
  flush(): Input[];
  readonly isPending: boolean;
}

const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/** Longest paste kept; what is more is dropped. */
const MAX_PASTE_UNITS = 1_000_000;

/** Splits the stream of one terminal; sequences may be cut anywhere between two pushes. */
export const createKeyReader = (): KeyReader => {
  let pending = '';
  let pasted: string | null = null;

  const readPaste = (): Input[] => {
    const end = pending.indexOf(PASTE_END);
    if (end < 0) {
      // The end marker itself may be cut.
      const safe = Math.max(0, pending.length - PASTE_END.length);
      pasted = ((pasted ?? '') + pending.slice(0, safe)).slice(0, MAX_PASTE_UNITS);
      pending = pending.slice(safe);
      return [];
    }
    const text = ((pasted ?? '') + pending.slice(0, end)).slice(0, MAX_PASTE_UNITS);
    pasted = null;
    pending = pending.slice(end + PASTE_END.length);
    return [{ type: 'paste', text }];
  };

  const read = (isFinal: boolean): Input[] => {
    const inputs: Input[] = [];
    while (pending !== '') {
      if (pasted !== null) {
        const before = pending.length;
        inputs.push(...readPaste());
        if (pasted !== null || pending.length === before) return inputs;
        continue;
      }
      if (pending.startsWith(PASTE_START)) {
        pending = pending.slice(PASTE_START.length);
        pasted = '';
        continue;
      }
      const length = sequenceLength(pending);
      if (length === null && !isFinal) return inputs;
      const sequence = pending.slice(0, length ?? 1);
      pending = pending.slice(sequence.length);
      const input = toInput(sequence);
      if (input !== null) inputs.push(input);
    }
    return inputs;
  };

  return {
    push: (text) => {
      pending += text;
      return read(false);
    },
    flush: () => (pasted === null ? read(true) : []),
    get isPending() {
      return pending !== '' && pasted === null;
    },
  };
};

/** Length of the first key in `text`; null when more has to come to tell. */
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
  if (first === '27' && final === '~' && third !== undefined) return withModifier(codeKeys[third], second);
  const name = final === 'u' ? codeKeys[first] : final === '~' ? numberedKeys[first] : letterKeys[final];
  return final === 'Z' ? 'S-tab' : withModifier(name, second);
};

const withModifier = (name: string | undefined, modifier: string | undefined): string | null => {
  if (name === undefined) return null;
  const bits = Number(modifier ?? '1') - 1;
  return `${(bits & 4) === 0 ? '' : 'C-'}${(bits & 2) === 0 ? '' : 'M-'}${(bits & 1) === 0 ? '' : 'S-'}${name}`;
};

const letterKeys: Readonly<Record<string, string>> = { A: 'up', B: 'down', C: 'right', D: 'left', F: 'end', H: 'home', P: 'f1', Q: 'f2' };
const numberedKeys: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
};
const codeKeys: Readonly<Record<string, string>> = { 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' };
