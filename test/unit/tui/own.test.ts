/** What a person makes their own in the terminal UI: keys, themes, a look that changes nothing; and the log as one looks at it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bindings } from '#companion/tui/bindings.ts';
import { chinese } from '#companion/tui/chinese.ts';
import { NAMED_KEY } from '#companion/tui/named-keys.ts';
import { takeOwnFiles } from '#companion/tui/own-files.ts';
import { setOwnBindings, toKey, withOwnKeys } from '#companion/tui/own-keys.ts';
import { readTheme } from '#companion/tui/own-themes.ts';
import { ownThemeNames, paletteFor, palettes, setOwnThemes } from '#companion/tui/palettes.ts';
import { setLanguage } from '#companion/tui/say.ts';
import { createBusyUi, createUi, session, type Ui } from './stage.ts';

const withKeys = (own: unknown): { ui: Ui; problems: readonly string[] } => {
  const keys = withOwnKeys(bindings, JSON.stringify(own));
  setOwnBindings(keys.bindings);
  onTestFinished(() => setOwnBindings(null));
  return { ui: createBusyUi({ columns: 100, rows: 60 }), problems: keys.problems };
};

/** Out of the composer, so that letters are keys. */
const toLists = (ui: Ui): void => ui.press('1');

describe("a key of the person's own", () => {
  test('does what the usual one did, which does nothing any more; footer, help and palette name it', () => {
    const { ui, problems } = withKeys({ global: { q: 'ctrl+q', n: ['F2', 'N'] } });
    toLists(ui);

    ui.press('q');
    expect(ui.effects.filter(({ type }) => type === 'quit')).toEqual([]);
    expect(ui.screen()).toContain('f2 new session');
    ui.press('?');
    expect(ui.screen()).toMatch(/f2 N +new session/u);
    ui.press('escape', ':');
    ui.type('quit');
    expect(ui.screen()).toContain('ctrl+q');
    ui.press('escape', 'C-q');

    expect(ui.effects.at(-1)).toEqual({ type: 'quit' });
    expect(problems).toEqual([]);
  });

  test('is none where nothing is given for it, and a click goes on doing what Enter did', () => {
    const { ui } = withKeys({ global: { t: [] }, picker: { enter: 'ctrl+y' } });
    toLists(ui);
    ui.press('t');
    expect(ui.effects).not.toContainEqual({ type: 'mouse', isOn: false });

    ui.press('T');
    ui.press('enter');
    expect(ui.state.overlay?.type).toBe('picker');
    ui.press('down', 'C-y');

    expect(ui.effects.at(-1)).toEqual({ type: 'theme', name: 'dark' });
  });

  test('is the one that every text names', () => {
    const { ui } = withKeys({
      always: { 'ctrl+x': 'ctrl+k' },
      global: { n: 'F2', w: [] },
      composer: { enter: ['alt+Enter', 'ctrl+y'], 'alt+Enter': 'Enter' },
    });
    const idle = createUi({ columns: 100, rows: 30 });
    idle.happen({ type: 'state', event: { type: 'sessions', sessions: [] } });

    expect(idle.screen()).toContain('Press f2 to begin one, – for the welcome page, ? for all keys.');
    ui.press('i');
    expect(ui.screen()).toContain('ctrl+k stops');
    expect(ui.screen()).not.toContain('ctrl+x');
  });

  test('is named by texts in both languages where it is one', () => {
    const tokens = (text: string) => [...text.matchAll(NAMED_KEY)].map(([token]) => token).toSorted();
    const known = new Set(bindings.flatMap(({ context, keys }) => keys.map((key) => `<${context} ${key}>`)));
    const texts = Object.entries(chinese);

    expect(texts.flatMap(([english]) => tokens(english)).length).toBeGreaterThan(20);
    // The keys of a request's card are fixed.
    const unnamed = texts.flatMap(([english, translated]) => (/按 ?(?![<{])[\w\][?,/:]/u.test(translated) ? [english] : []));
    expect(unnamed).toEqual(['… {count} more lines: o shows them']);
    for (const [english, translated] of texts) {
      expect(tokens(translated), english).toEqual(tokens(english));
      for (const token of tokens(english)) expect(known, english).toContain(token);
    }
  });

  test.for([
    [{ globe: { q: 'Q' } }, 'there is no place "globe"'],
    [{ request: { a: 'y' } }, 'the keys of "request" are fixed'],
    [{ global: { Ω: 'Q' } }, 'global Ω: no such key is used there'],
    [{ global: { q: 'n' } }, 'global q: n is used there already'],
    [{ always: { 'ctrl+c': [] } }, 'always ctrl+c: it always leads out'],
    [['q'], 'it is not an object of places, each with keys'],
  ] as const)('that cannot be is told, and the usual ones hold: %j', ([own, problem]) => {
    const { ui, problems } = withKeys(own);

    expect(problems).toEqual([problem]);
    toLists(ui);
    ui.press('q');
    expect(ui.effects.at(-1)).toEqual({ type: 'quit' });
  });

  test('that cannot be is told in the language of the person', () => {
    setLanguage('zh');
    onTestFinished(() => setLanguage('en'));

    expect(withKeys({ globe: { q: 'Q' }, global: { q: 'n' } }).problems).toEqual(['没有名为“globe”的位置', 'global q: 该位置已使用 n']);
    expect(readTheme('{"acent":"red"}')).toEqual({ problem: '没有名为“acent”的样式' });
  });

  test.for([
    ['ctrl+x', 'C-x'],
    ['C-x', 'C-x'],
    ['alt+Enter', 'M-enter'],
    ['shift+Tab', 'S-tab'],
    ['PgUp', 'pageup'],
    ['Esc', 'escape'],
    ['↑', 'up'],
    ['A', 'A'],
    ['+', '+'],
    ['C', 'C'],
  ] as const)('%s is written as the help shows it', ([shown, key]) => {
    expect(toKey(shown)).toBe(key);
  });
});

describe("a theme of the person's own", () => {
  test('is a file with what is other than in its base', () => {
    const read = readTheme(JSON.stringify({ base: 'dark', accent: 'bold #6fd3d9', selected: 'black on bright-yellow', dim: 'plain' }));

    expect(read).toEqual({ palette: { ...palettes.dark, accent: '1;38;2;111;211;217', selected: '30;103', dim: '' } });
  });

  test.for([
    ['{"accent":"pinkish"}', '"pinkish" of accent is neither'],
    ['{"accent":"red on"}', '"red on" of accent is neither'],
    ['{"accent":"\\u001b[31m"}', 'of accent is neither'],
    ['{"acent":"red"}', 'there is no style "acent"'],
    ['{"base":"blue"}', 'its base "blue" is none of terminal, dark, light, none'],
    ['{', 'it is not an object of styles'],
  ] as const)('is none where it says %s', ([text, problem]) => {
    expect(readTheme(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('is chosen by the name of its file, and NO_COLOR goes before it', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
    onTestFinished(() => {
      setOwnThemes(new Map());
      setOwnBindings(null);
      rmSync(folder, { recursive: true });
    });
    mkdirSync(path.join(folder, 'themes'));
    writeFileSync(path.join(folder, 'themes', 'sea.json'), '{"accent":"#0000ff"}');
    writeFileSync(path.join(folder, 'themes', 'odd.json'), '{"accent":1}');
    writeFileSync(path.join(folder, 'keys.json'), '{"globe":{}}');

    const problems = takeOwnFiles({ keysFile: path.join(folder, 'keys.json'), themesDir: path.join(folder, 'themes') });

    expect(problems).toEqual([
      `${folder}/keys.json: there is no place "globe".`,
      `${folder}/themes/odd.json: it is not an object of styles, each with a text.`,
    ]);
    expect(ownThemeNames()).toEqual(['sea']);
    expect(paletteFor({}, 'sea').accent).toBe('38;2;0;0;255');
    expect(paletteFor({ PILOTFISH_THEME: 'sea' }).accent).toBe('38;2;0;0;255');
    expect(paletteFor({ NO_COLOR: '1' }, 'sea')).toBe(palettes.none);
    // One whose file has gone since is the terminal's own.
    expect(paletteFor({}, 'gone')).toBe(palettes.terminal);
    const ui = createBusyUi();
    toLists(ui);
    ui.press('T');
    ui.type('sea');
    ui.press('enter');
    expect(ui.effects.at(-1)).toEqual({ type: 'theme', name: 'sea' });
  });
});

describe('a terminal UI that only looks', () => {
  test.for([
    ['sends nothing', ['i', 'h', 'i', 'enter'], 'turn.start'],
    ['stops nothing', ['C-x'], 'turn.cancel'],
    ['deletes nothing', ['1', 'D', 'y'], 'session.delete'],
    ['takes no project', ['2', 'a', '/', 'x', 'enter'], 'project.add'],
  ] as const)('%s, and says why', ([, keys, type]) => {
    const looking = createBusyUi(undefined, { isReadOnly: true });
    const usual = createBusyUi();

    looking.press(...keys);
    usual.press(...keys);

    expect(usual.effects.map((effect) => effect.type)).toContain(type);
    expect(looking.effects.map((effect) => effect.type)).not.toContain(type);
    expect(looking.screen()).toContain('Read-only: nothing is changed from here.');
  });

  test('says all the time that it does, keeps what was typed, and goes on looking', () => {
    const ui = createBusyUi(undefined, { isReadOnly: true });
    ui.press('i');
    ui.type('hi');
    ui.press('enter');

    expect(ui.screen()).toContain('hi');
    ui.press('escape', '1', ']');
    expect(ui.screen()).toContain('read-only');
    expect(ui.state.tab).toBe('diff');
  });
});

describe('the log', () => {
  const logged = (): Ui => {
    const ui = createBusyUi();
    const line = (level: string, event: string): string => JSON.stringify({ at: '2026-01-02T03:04:05.000Z', level, event });
    ui.happen({ type: 'logs', lines: [line('info', 'one'), line('warn', 'two'), line('error', `three ${'long '.repeat(40)}end`)] });
    toLists(ui);
    ui.press(']', ']', 'tab');
    while (ui.state.focus !== 'main') ui.press('tab');
    return ui;
  };

  test('is shown from a level on, and long lines whole', () => {
    const ui = logged();
    expect(ui.screen()).toMatch(/one[^]*two[^]*three/u);
    expect(ui.screen()).not.toContain('long end');

    ui.press('e');
    expect(ui.screen()).not.toContain('one');
    ui.press('e', 'w');
    expect(ui.screen()).not.toContain('two');
    expect(ui.screen()).toContain('long end');
    ui.press('e');
    expect(ui.screen()).toContain('one');
  });

  test('is saved as it is shown', () => {
    const ui = logged();

    ui.press('e', 's');

    expect(ui.effects.at(-1)).toMatchObject({
      type: 'logs.save',
      lines: ['warn  03:04:05 two', expect.stringContaining('error 03:04:05 three')],
    });
  });
});

test('the session that was used last is the first of those to choose from', () => {
  const ui = createBusyUi();
  const at = (id: string, updatedAt: string) => session(id, { updatedAt });
  ui.happen({
    type: 'state',
    event: { type: 'sessions', sessions: [at('s1', '2026-01-01'), at('s2', '2026-03-01'), at('s3', '2026-02-01')] },
  });
  toLists(ui);

  ui.press('C-r', 'down', 'enter');

  expect(ui.effects).toContainEqual({ type: 'session.open', sessionId: 's3' });
});
