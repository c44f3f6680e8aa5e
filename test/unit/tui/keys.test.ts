import { describe, expect, test } from 'vitest';
import { KeyReader, type Input } from '#companion/tui/keys.ts';

const keysOf = (inputs: readonly Input[]): string[] => inputs.map((input) => (input.type === 'key' ? input.key : input.type));

/** Reads a text that arrives in one piece. */
const read = (text: string): Input[] => {
  const reader = new KeyReader();
  return [...reader.push(text), ...reader.flush()];
};

describe('the key reader', () => {
  test.for([
    ['aA1 ', ['a', 'A', '1', 'space']],
    ['你😀é', ['你', '😀', 'é']],
    ['\r\n\t\u007f\b', ['enter', 'C-j', 'tab', 'backspace', 'backspace']],
    ['\u0003\u0018\u001a', ['C-c', 'C-x', 'C-z']],
    ['\u001b[A\u001b[B\u001bOC\u001b[D', ['up', 'down', 'right', 'left']],
    ['\u001b[H\u001b[F\u001b[1~\u001b[4~\u001b[5~\u001b[6~\u001b[3~', ['home', 'end', 'home', 'end', 'pageup', 'pagedown', 'delete']],
    ['\u001b[Z', ['S-tab']],
    ['\u001bOP\u001b[11~', ['f1', 'f1']],
    ['\u001b\r', ['M-enter']],
    ['\u001b[13;2u\u001b[27;2;13~', ['S-enter', 'S-enter']],
    ['\u001ba\u001bd\u001b\u007f', ['M-a', 'M-d', 'M-backspace']],
    ['\u001b[1;5C\u001b[1;3D', ['C-right', 'M-left']],
    ['\u001b', ['escape']],
    ['\u001b\u001b[A', ['escape', 'up']],
  ] as const)('understands %j', ([text, keys]) => {
    expect(keysOf(read(text))).toEqual(keys);
  });

  test('ignores what no key sends', () => {
    expect(read('\u001b[?1;2c\u001b[200;5R\u001b[99~')).toEqual([]);
  });

  test('puts together what arrives cut at every place', () => {
    const text = 'x\u001b[5~\u001b[<0;12;7M\u001b[200~pa\u001b[Aste\r\n\u001b[201~\u001b\rz';
    const whole = read(text);

    for (let cut = 1; cut < text.length; cut += 1) {
      const reader = new KeyReader();
      const inputs = [...reader.push(text.slice(0, cut)), ...reader.push(text.slice(cut)), ...reader.flush()];
      expect(inputs, `cut at ${cut}`).toEqual(whole);
    }
  });

  test('waits for the rest of a sequence, and gives up when told', () => {
    const reader = new KeyReader();

    expect(reader.push('\u001b')).toEqual([]);
    expect(reader.isPending).toBe(true);
    expect(keysOf(reader.flush())).toEqual(['escape']);
    expect(reader.isPending).toBe(false);
  });

  test('gives a paste as one text, newlines and escapes included', () => {
    expect(read('\u001b[200~a\rb\u001b[31mc\u001b[201~d')).toEqual([
      { type: 'paste', text: 'a\rb\u001b[31mc', isCut: false },
      { type: 'key', key: 'd' },
    ]);
  });

  test('cuts an endless paste between two characters, says so, and goes on behind it', () => {
    const [paste, key] = read(`\u001b[200~${'x'.repeat(999_999)}🚢${'y'.repeat(50)}\u001b[201~d`);

    expect(paste).toEqual({ type: 'paste', text: 'x'.repeat(999_999), isCut: true });
    expect(key).toEqual({ type: 'key', key: 'd' });
  });

  test('gives clicks and the wheel, and neither releases nor other buttons', () => {
    expect(read('\u001b[<0;12;7M\u001b[<0;12;7m\u001b[<2;1;1M\u001b[<64;1;2M\u001b[<65;300;2M')).toEqual([
      { type: 'mouse', action: 'press', column: 11, row: 6 },
      { type: 'mouse', action: 'wheelup', column: 0, row: 1 },
      { type: 'mouse', action: 'wheeldown', column: 299, row: 1 },
    ]);
  });
});
