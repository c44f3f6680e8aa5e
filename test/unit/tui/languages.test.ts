import { describe, expect, test } from 'vitest';
import { engines } from '#companion/engines/index.ts';
import { line } from '#companion/mcp/card-line.ts';
import { chinese } from '#companion/tui/chinese.ts';
import { drawFrame } from '#companion/tui/frame.ts';
import { unpaint } from '#companion/tui/paint.ts';
import { languageOf, setLanguage } from '#companion/tui/say.ts';
import { width } from '#companion/tui/text.ts';
import { defaultSettings } from '#protocol/events.ts';
import { cardText } from '#protocol/card-lines.ts';
import { warn } from '#protocol/warnings.ts';
import { asItCame, asLines } from '#protocol/said.ts';
import { found } from '#protocol/checks.ts';
import { labelled } from '#protocol/modes.ts';
import { createBusyUi, createUi, engine, open, permission, question, say, type Ui } from './stage.ts';

/** The terminal UI speaks Chinese until the end of the scope. */
const speakChinese = (): Disposable => {
  setLanguage('zh');
  return { [Symbol.dispose]: () => setLanguage('en') };
};

const SIZES = [
  { columns: 60, rows: 16 },
  { columns: 80, rows: 24 },
  { columns: 200, rows: 60 },
];

/** Keys that lead to each page, list and line of the terminal UI. */
const places = ['', '?', 'w', 'n', '/', 'i', 'm', 'L', ',', 'T', 'l', 'S', ':', 'v', 'C', 'D', ']', '2', '3', '4'];

/** Names, and what a person types or reads as it is. */
const NAMES =
  /Pilotfish|Claude Code|claude|Claude|Code|[Ss]onnet|Run a command|Which sizes\?|Codex|Qwen|Chromium|Chrome|MCP|Session s\d|What is on this page\?|Which colour\?|rm -rf build|\/home\/me\/\S+|pilotfish|work|red|blue|small|large|token|Agent Client Protocol|[Ee]nter|Space|Home|End|PgUp|PgDn|shift|ctrl|alt|Tab|Esc|npm install \S+ \S+|codex login|doctor|GET \S+|English/gu;

const framesIn = (size: { columns: number; rows: number }): { place: string; ui: Ui }[] =>
  [null, permission, question].flatMap((request) =>
    places.map((place) => {
      const ui = createBusyUi(size);
      say(ui, 'a1', 'assistant', '这是一个回答。');
      if (request !== null) open(ui, request);
      if (place !== '') ui.press('1', place);
      return { place, ui };
    }),
  );

describe('the terminal UI in Chinese', () => {
  test.for(SIZES)('has exactly the columns of the screen at $columns×$rows', ({ columns, rows }) => {
    using _chinese = speakChinese();
    for (const { place, ui } of framesIn({ columns, rows })) {
      const { lines } = drawFrame(ui.state);
      expect(lines).toHaveLength(rows);
      for (const line of lines) expect(width(line), `${place}: ${line}`).toBe(columns);
    }
  });

  test('names the key of the help where the hints have no room', () => {
    using _chinese = speakChinese();
    const ui = createBusyUi({ columns: 60, rows: 16 });
    for (const key of ['1', '2', '3', '4', ']']) {
      ui.press(key);

      expect(ui.screen(), key).toContain('? 所有按键');
    }
  });

  test('has no English words but names and what is typed', () => {
    using _chinese = speakChinese();
    const left = framesIn({ columns: 200, rows: 60 }).flatMap(
      ({ ui }) =>
        unpaint(ui.screen())
          .replaceAll(NAMES, '')
          .match(/[A-Za-z]{3,}(?: [A-Za-z]+)*/gu) ?? [],
    );

    expect([...new Set(left)]).toEqual([]);
  });

  test('names the modes of the agents wherever one is named', () => {
    using _chinese = speakChinese();
    const modes = engines.find(({ name }) => name === 'claude')?.modes ?? [];
    const dangerous = modes.find(({ isDangerous }) => isDangerous);
    const ui = createBusyUi({ columns: 200, rows: 60 });
    ui.happen({ type: 'state', event: { type: 'engines', engines: [engine('claude', 'Claude Code', 'ready', { modes: [...modes] })] } });
    ui.event({ type: 'session.updated', settings: { ...defaultSettings, mode: dangerous?.modeId ?? '' } });
    const [inHeader, inPicker, onPage] = [[], ['M'], ['escape', '3', 'enter']].map((keys) => {
      ui.press(...keys);
      return unpaint(ui.screen());
    });

    for (const screen of [inHeader, inPicker, onPage]) expect(screen).toContain('完全访问');
    for (const { label, description = label } of modes) for (const text of [label, description]) expect(inPicker).not.toContain(text);
    for (const { label } of modes) expect(onPage).not.toContain(label);
  });

  test('has the answers to a request in sight at 60×16', () => {
    using _chinese = speakChinese();
    const ui = createBusyUi({ columns: 60, rows: 16 });
    open(ui, permission);

    const screen = ui.screen();

    for (const answer of ['[a] 允许', '[s] 本次会话允许', '[d] 拒绝']) expect(screen).toContain(answer);
  });

  test('has the lines of a card by their codes, and what a page or a file wrote as it came', () => {
    using _chinese = speakChinese();
    const ui = createBusyUi({ columns: 120, rows: 40 });
    const lines = [line('line_tab', cardText('your_own_tab')), line('line_page', 'For: me')];
    open(ui, { ...permission, kind: 'consent', ...asLines(lines), shownLines: 1 });

    const screen = ui.screen();

    expect(screen).toContain('标签页：你自己的；选择“本次会话允许”即移交给会话');
    expect(screen).toContain('网页标题：For: me');
  });

  test('has what checks and the daemon report, with its names and paths, and leaves what it does not know', () => {
    using _chinese = speakChinese();
    const ui = createUi({ columns: 200, rows: 60 });
    ui.happen({ type: 'warnings', warnings: [{ what: warn('history_held') }] });
    ui.press('w');
    ui.happen({
      type: 'checks',
      checks: [
        {
          id: 'a',
          title: found('executable'),
          status: 'failed',
          detail: found('not_there', { file: '/opt/my app' }),
          remedy: found('reinstall'),
        },
        { id: 'b', title: asItCame('Something new'), status: 'warning', detail: asItCame('Nobody knows this yet.') },
      ],
    });

    const screen = ui.screen();

    expect(screen).toContain('无法写入历史记录：智能体所说的内容正在等待磁盘空间。');
    expect(screen).toContain('可执行文件：/opt/my app 不存在。');
    expect(screen).toContain('请运行 `pilotfish install`。');
    expect(screen).toContain('Something new：Nobody knows this yet.');
  });

  test('fills in what the English fills in', () => {
    const namesIn = (text: string): string[] => [...new Set(Array.from(text.matchAll(/\{(\w+)/gu), ([, name = '']) => name))].toSorted();
    for (const [english, translated] of Object.entries(chinese)) expect(namesIn(translated), english).toEqual(namesIn(english));
  });

  test('is what the environment asks for, unless something else was chosen', () => {
    expect(languageOf({ LANG: 'zh_CN.UTF-8' })).toBe('zh');
    expect(languageOf({ LANG: 'en_GB.UTF-8', LC_ALL: 'zh_TW' })).toBe('zh');
    expect(languageOf({ LANG: 'zh_CN.UTF-8', LC_ALL: '', LC_MESSAGES: 'C' })).toBe('en');
    expect(languageOf({ LANG: 'zha_CN' })).toBe('en');
    expect(languageOf({})).toBe('en');
    expect(languageOf({ LANG: 'zh_CN.UTF-8' }, 'en')).toBe('en');
  });

  test('is chosen with a key', () => {
    const ui = createUi();
    ui.press('l');
    expect(ui.screen()).toMatch(/English[^]*中文/u);

    ui.press('down', 'enter');

    expect(ui.effects.at(-1)).toEqual({ type: 'language', language: 'zh' });
  });
});

test('an agent that is called by what it is, and by no name, is called so in Chinese', () => {
  using _ = speakChinese();
  for (const place of ['w', 'n', '3', ',']) {
    const ui = createUi({ columns: 200, rows: 60 });
    ui.happen({ type: 'state', event: { type: 'engines', engines: [engine('local', 'Local model', 'ready', labelled('local_model'))] } });
    ui.happen({ type: 'state', event: { type: 'sessions', sessions: [] } });
    ui.press('1', place);

    expect(ui.screen()).toContain('本地模型');
    expect(ui.screen()).not.toContain('Local model');
  }
});
