import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { toVisible } from '#protocol/foreign-name.ts';
import { CompanionError } from '#protocol/errors.ts';
import { columnsOf, type ConfirmEngine } from '#protocol/errands.ts';
import { proposalRows } from '#companion/cli/proposal-rows.ts';
import { engine, test, type Stage } from './stage.ts';

const login = { type: 'log_in', name: 'claude', label: 'Claude Code', shown: 'claude auth login' } as const;

describe('errand', () => {
  test('runs the login that the daemon names, with its environment, looks for the agent and waits for Enter', async ({ stage }) => {
    const note = path.join(stage.folder, 'note');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify([process.env.OWN, process.env.PILOTFISH_HOME ?? null, process.env.TERM, process.argv.at(-1)]))`;
    stage.isInteractive = true;
    stage.env['TERM'] = 'xterm-of-the-window';
    stage.errands.set('errand_1', {
      ...login,
      command: process.execPath,
      args: ['-e', script, '--', 'a; $(b)'],
      env: { OWN: 'yes', PATH: '/bin' },
    });
    stage.stdin.write('\n');

    expect(await stage.run('errand', 'errand_1')).toBe(0);

    expect(JSON.parse(readFileSync(note, 'utf8'))).toEqual(['yes', null, 'xterm-of-the-window', 'a; $(b)']);
    expect(stage.calls).toEqual([
      ['connect', false],
      ['refresh', 'claude'],
    ]);
    expect(stage.err).toContain('Claude Code: claude auth login');
    expect(stage.err).toContain('claude: claude 2.1.4 is ready');
    expect(stage.err).toContain('Press Enter to close this window.');
  });

  test('says what is still missing, and ends as failed', async ({ stage }) => {
    stage.isInteractive = true;
    stage.engines = [engine('claude', 'not_logged_in', { fix: 'claude auth login' })];
    stage.errands.set('errand_1', { ...login, command: process.execPath, args: ['-e', ''], env: null });
    stage.errands.set('errand_2', { ...login, command: path.join(stage.folder, 'nowhere'), args: [], env: null });
    stage.stdin.write('\n');

    expect(await stage.run('errand', 'errand_1')).toBe(1);
    stage.stdin.write('\n');
    expect(await stage.run('errand', 'errand_2')).toBe(1);

    expect(stage.err).toContain('is not logged in');
    expect(stage.err).toContain('ENOENT');
  });

  test('does nothing for another id, or without a person at the terminal', async ({ stage }) => {
    const note = path.join(stage.folder, 'note');
    writeFileSync(`${note}.js`, `require('node:fs').writeFileSync(${JSON.stringify(note)}, '')`);
    stage.errands.set('errand_1', { ...login, command: process.execPath, args: [`${note}.js`], env: null });

    expect(await stage.run('errand', 'errand_1')).toBe(2);
    expect(await stage.run('errand')).toBe(2);
    stage.isInteractive = true;
    stage.stdin.write('\n');
    expect(await stage.run('errand', 'errand_2')).toBe(1);

    expect(stage.err).toContain('This window has nothing to do');
    expect(existsSync(note)).toBe(false);
    expect([...stage.errands.keys()]).toEqual(['errand_1']);
  });
});

const asked: ConfirmEngine = {
  type: 'confirm_engine',
  answerId: 'answer_1',
  name: 'mine',
  label: 'mine',
  language: 'en',
  change: { type: 'add', command: '/opt/my agent', args: ['--acp', 'a\nb'], env: { REGION: 'eu' } },
  now: null,
};

/** A window in which the errand is done, with what the person types once they are asked. */
const inWindow = async (stage: Stage, typed: string, more: Partial<ConfirmEngine> = {}): Promise<number> => {
  stage.isInteractive = true;
  stage.engines = [engine('mine', 'ready', { version: '1.2' })];
  stage.errands.set('errand_1', { ...asked, ...more });
  stage.stdin.write(typed);
  const done = stage.run('errand', 'errand_1');
  await expect.poll(() => stage.err).toMatch(/Press Enter to close|按 Enter 关闭/);
  stage.stdin.write('\n');
  return done;
};

describe('a proposal of the panel', () => {
  test('is shown word for word, set after yes, and the agent is looked for', async ({ stage }) => {
    expect(await inWindow(stage, 'yes\n')).toBe(0);

    expect(stage.calls).toEqual([
      ['connect', false],
      ['await', 'answer_1'],
      ['answer', 'answer_1', true],
      ['refresh', 'mine'],
    ]);
    expect(stage.err.split('\n').slice(0, 10)).toEqual([
      'The panel asks to add an agent, which Pilotfish starts with all your rights:',
      '',
      '  Agent       "mine"',
      '  Program     "/opt/my agent"',
      '  Argument 1  "--acp"',
      '  Argument 2  "a\\nb"',
      '  Variable    REGION="eu"',
      '',
      'If you asked for this just now, type yes and press Enter; Enter alone refuses.',
      expect.stringMatching(/^\[no\] /),
    ]);
    expect(stage.err).toContain('It is set.');
    expect(stage.err).toContain('mine: mine 1.2 is ready');
    expect(stage.err).toContain('Press Enter to close this window.');
  });

  test.for(['\n', 'y\n', 'no\n', 'yes please\n'])('is refused by %j', async (typed, { stage }) => {
    expect(await inWindow(stage, typed)).toBe(1);

    expect(stage.calls).toContainEqual(['answer', 'answer_1', false]);
    expect(stage.err).toContain('Nothing was changed.');
    expect(stage.err).not.toContain('It is set.');
  });

  test('is refused by the end of the input', async ({ stage }) => {
    stage.isInteractive = true;
    stage.errands.set('errand_1', asked);
    stage.stdin.end();

    expect(await stage.run('errand', 'errand_1')).toBe(1);

    expect(stage.calls).toContainEqual(['answer', 'answer_1', false]);
  });

  test('is neither taken nor answered without a person at a terminal, whatever is piped in', async ({ stage }) => {
    stage.errands.set('errand_1', asked);
    stage.stdin.end('yes\n');

    expect(await stage.run('errand', 'errand_1')).toBe(2);
    expect(await stage.run('errand', 'errand_1', '--yes')).toBe(2);

    expect(stage.calls).toEqual([]);
    expect([...stage.errands.keys()]).toEqual(['errand_1']);
  });

  test('is asked no longer when it has ended elsewhere, and the window says so', async ({ stage }) => {
    const done = inWindow(stage, '');
    await expect.poll(() => stage.err).toContain('[no] ');
    stage.endProposal();

    expect(await done).toBe(1);
    expect(stage.err).toContain('This is not asked any more. Nothing was changed.');
    expect(stage.calls.some(([what]) => what === 'answer')).toBe(false);
  });

  test('tells that the daemon has ended, and that a yes could not be set', async ({ stage }) => {
    const done = inWindow(stage, '');
    await expect.poll(() => stage.err).toContain('[no] ');
    stage.endProposal(new CompanionError('DAEMON_NOT_RUNNING'));
    expect(await done).toBe(1);
    expect(stage.err).toContain(new CompanionError('DAEMON_NOT_RUNNING').message);

    stage.err = '';
    stage.answerFault = new CompanionError('PROPOSAL_STALE');
    expect(await inWindow(stage, 'yes\n', { language: 'zh' })).toBe(1);
    expect(stage.err).toContain('该智能体的设置已被更改');
    expect(stage.err).not.toContain('已设置。');
  });

  test('is asked in Chinese where the panel speaks it', async ({ stage }) => {
    await inWindow(stage, '\n', {
      language: 'zh',
      label: '我的',
      change: { type: 'change', path: null, args: [], env: { OLD: null, REGION: 'cn' } },
      now: { program: '/opt/old', ownCommand: ['/opt/mine', 'run.js'], args: ['--old'], envNames: ['OLD', 'REGION'] },
    });

    expect(stage.err.split('\n').slice(0, 15)).toEqual([
      '面板请求更改此智能体的启动方式（它拥有你的全部权限）：',
      '',
      '  智能体    "我的"（"mine"）',
      '  程序      "/opt/mine"',
      '            替换 "/opt/old"',
      '  参数      首先是 "run.js"，与之前相同',
      '  参数      无其他参数',
      '            替换 "--old"',
      '  环境变量  OLD 将被移除',
      '  环境变量  REGION="cn"',
      '            替换当前的值：REGION',
      '',
      '其他设置保持不变。',
      '',
      '如果这是你刚才的请求，请输入 yes 并按 Enter；直接按 Enter 即拒绝。',
    ]);
    expect(stage.err).toContain('未做任何更改。');
    expect(stage.err).toContain('按 Enter 关闭此窗口。');
  });
});

/** What would make a window show something else than what is run. */
const HOSTILE = [
  '\u001b[2J\u001b[1;1HProgram  "ls"',
  '\u001b]52;c;cm0gLXJmIH4=\u0007',
  '\u009b8m',
  'a\r\n  Program     "/bin/true"',
  '\u202ehsab\u202c \u2066x',
  `x${' '.repeat(70)}Variable    SAFE="yes"`,
  'y\u200b\u2060\ufeff',
  '`pilotfish stop`',
  '"; rm -rf ~ #',
];

describe('the rows of a proposal', () => {
  test.for(HOSTILE)('hide nothing of %j, and let it pass for no row of theirs', (text) => {
    const rows = proposalRows({ ...asked, change: { type: 'add', command: text, args: [text], env: { A: text } } }, 80);

    const [program, argument, variable] = ['Program', 'Argument 1', 'Variable'].map((label) => {
      const start = rows.findIndex((row) => row.startsWith(`  ${label} `));
      const next = rows.findIndex((row, index) => index > start && !row.startsWith(' '.repeat(14)));
      return rows
        .slice(start, next < 0 ? rows.length : next)
        .map((row) => row.slice(14))
        .join('');
    });
    const shown = toVisible(JSON.stringify(text));
    expect([program, argument, variable]).toEqual([shown, shown, `A=${shown}`]);
    expect(rows.filter((row) => /^ {2}\S/u.test(row))).toHaveLength(4);
    expect(rows.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(rows.every((row) => columnsOf(row) < 80)).toBe(true);
  });

  test.for(['en', 'zh'] as const)('fit into 80 × 24 with the question in %s, whatever may be proposed', (language) => {
    const long = 'x'.repeat(53);
    const rows = proposalRows(
      {
        ...asked,
        language,
        label: 'L'.repeat(80),
        change: {
          type: 'change',
          path: `/${long}`,
          args: [long, '漢'.repeat(29), '\u202e'.repeat(7)],
          env: { A: long, B: long, C: null, D: long, E: long, F: long },
        },
        now: {
          program: '/p'.repeat(500),
          ownCommand: ['/opt/mine', 'o'.repeat(4000)],
          args: ['y'.repeat(4000), 'z'],
          envNames: ['A', 'B', 'C'],
        },
      },
      80,
    );

    // A row between, and two for the question.
    expect(rows.length).toBeLessThanOrEqual(24 - 3);
    expect(rows.every((row) => columnsOf(row) < 80)).toBe(true);
  });
});
