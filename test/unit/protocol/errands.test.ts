import { describe, expect, test } from 'vitest';
import { asShown, columnsOf, EngineProposal, ProposalInput, rowsOf } from '#protocol/errands.ts';

const add = (more: object = {}): unknown => ({ type: 'add', command: 'npx', args: ['-y', '@acme/agent'], env: {}, ...more });
const isGood = (change: unknown): boolean => EngineProposal.safeParse(change).success;

describe('what a panel may propose', () => {
  test.for([
    add(),
    add({ command: '/opt/my apps/agent', env: { ACME_REGION: 'eu' } }),
    add({ command: '~/bin/agent' }),
    add({ command: String.raw`C:\agents\a.exe` }),
    add({ command: String.raw`\\box\agents\a.exe` }),
    add({ args: ['a\nb', '\u202eevil', '\u001b[2J'] }),
    { type: 'change', path: null },
    { type: 'change', args: null, env: { OLD: null } },
    { type: 'remove' },
  ])('%j is shown to the person', (change) => {
    expect(isGood(change)).toBe(true);
  });

  test.for([
    [{ type: 'change' }, 'nothing'],
    [add({ command: './agent' }), 'a program that lies where nobody knows'],
    [add({ command: 'bin/agent' }), 'the same'],
    [add({ command: '' }), 'no program'],
    [add({ command: 'a\0b' }), 'what no system starts'],
    [add({ args: ['a\0b'] }), 'what no system passes on'],
    [add({ env: { 'A B': '1' } }), 'no name of a variable'],
    [add({ env: { ACME_API_KEY: 'sk-1' } }), 'a key'],
    [{ type: 'change', env: { GITHUB_TOKEN: 'ghp_1' } }, 'a token'],
    [add({ label: 'Claude Code' }), 'a name that passes for another'],
    [{ type: 'change', endpoint: 'http://evil.example' }, 'what the panel sets itself'],
    [{ type: 'remove', name: 'mine' }, 'another name than the address has'],
    [add({ args: Array.from({ length: 10 }, () => 'x') }), 'more rows than the window has'],
    [add({ args: ['x'.repeat(600)] }), 'one argument over all rows'],
    [add({ args: ['\u202e'.repeat(80)] }), 'signs that are spelled out over all rows'],
    [add({ args: ['漢'.repeat(300)] }), 'wide signs over all rows'],
  ] as const)('%j is refused: %s', ([change]) => {
    expect(isGood(change)).toBe(false);
  });

  test('comes in a language that the window speaks, and with nothing else', () => {
    expect(ProposalInput.safeParse({ change: add(), language: 'zh' }).success).toBe(true);
    expect(ProposalInput.safeParse({ change: add(), language: 'de' }).success).toBe(false);
    expect(ProposalInput.safeParse({ change: add(), language: 'en', isAllowed: true }).success).toBe(false);
  });
});

describe('a text in the window', () => {
  test.for([
    ['a "b"\\n', String.raw`"a \"b\"\\n"`],
    ['a\nb\tc\rd', String.raw`"a\nb\tc\rd"`],
    ['\u001b[2J\u0007\u009b2J', String.raw`"\u001b[2J\u0007⟨U+009B⟩2J"`],
    ['\u202eexe.\u2066x\u200b', '"⟨U+202E⟩exe.⟨U+2066⟩x⟨U+200B⟩"'],
    ['a\u00a0\u3000b', '"a⟨U+00A0⟩⟨U+3000⟩b"'],
    ['\ud800', '"\ufffd"'],
    ['目录', '"目录"'],
  ] as const)('%j hides nothing', ([text, shown]) => {
    expect(asShown(text)).toBe(shown);
  });

  test('is cut into rows that no terminal breaks, and nothing of it is lost', () => {
    const text = '漢字'.repeat(20) + 'x'.repeat(95) + '😀';

    const rows = rowsOf(text, 20);

    expect(rows.join('')).toBe(text);
    expect(rows.every((row) => columnsOf(row) <= 20)).toBe(true);
    expect(rowsOf('', 20)).toEqual(['']);
  });
});
