/** An agent that may run commands is of the same user as the person, and yet does nothing in the person's name. */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { isDaemon } from '#test/fixtures/companion.ts';
import { answerNext, answerOf, isDone, startConversation } from '#test/fixtures/conversation.ts';
import { connectBrowserDouble } from '#test/fixtures/browser-double.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { putOnPath } from './acp-stage.ts';

interface Attempt {
  readonly name: string;
  readonly hasSucceeded: boolean;
  readonly said: string;
}

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** How the program is started that makes the attempts. */
const WAYS = {
  plainly: 'ATTEMPTS',
  'with an empty environment': 'env -i NEEDED ATTEMPTS',
  'in a session of its own': 'setsid ATTEMPTS',
  'after a hangup': 'nohup ATTEMPTS &',
  'by a double fork': '(ATTEMPTS &) & exit',
  'by a double fork, with nothing left of where it comes from':
    'nohup env -i setsid --fork env -i NEEDED sh -c "(ATTEMPTS &) & exit" & exit',
} as const;

/** How much of the executable is tried in one of the ways; in the short form the first and the last try all. */
const EXTENTS = Object.keys(WAYS).map((_, index, { length }) => (isWhole || index === 0 || index === length - 1 ? 'all' : 'one'));

/** How many attempts that makes. */
const ATTEMPTS = { all: 26, one: 22 } as const;

describe.skipIf(process.platform !== 'linux')("an agent's shell", () => {
  test('answers no question, changes nothing and stops nothing, however it hides; the person does', async ({ home, companion }) => {
    const daemon = await companion.startDaemon();
    putOnPath(home, []);
    await companion.run(['engine', 'add', 'mine', '--', process.execPath, fixture('shell-agent-double.ts')]);
    const conversation = await startConversation(companion, { engine: 'mine' });
    const reports = Object.keys(WAYS).map((_, index) => path.join(home.dir, `report-${index}`));
    const needed = Object.entries({ ...companion.env, PATH: '/usr/bin:/bin' }).map(([name, value]) => `${name}='${value}'`);
    const lines = Object.values(WAYS).map((way, index) => {
      const words = [
        process.execPath,
        fixture('person-double.ts'),
        companion.executable,
        companion.paths.socket,
        home.dir,
        reports[index],
        EXTENTS[index],
      ];
      return `${way.replaceAll('NEEDED', needed.join(' ')).replaceAll('ATTEMPTS', words.join(' '))}`;
    });
    // Each in a shell of its own: some of them end it.
    writeFileSync(
      path.join(conversation.rootPath, 'agent.sh'),
      [`export ${needed.join(' ')}`, ...lines.map((line) => `( ${line} )`), ''].join('\n'),
    );

    // A browser that waits for the person, which the agent may not let in either.
    const browser = await connectBrowserDouble(companion, { onWelcome: () => undefined });

    await conversation.act('clear the folder');
    const made = await Promise.all(
      reports.map((report) => until(() => JSON.parse(readFileSync(report, 'utf8')) as Attempt[], { what: report })),
    );

    expect(made.map((attempts) => attempts.length)).toEqual(EXTENTS.map((extent) => ATTEMPTS[extent]));
    expect(made.flat().filter(({ hasSucceeded }) => hasSucceeded)).toEqual([]);
    expect(made.flat().filter(({ name, said }) => name !== 'curl' && !/PERSON_ONLY|Only the person/.test(said))).toEqual([]);
    expect(companion.daemons()).toEqual([daemon]);
    expect((await companion.api.send('GET', '/api/admissions')).json).toMatchObject({ admissions: [{ state: 'waiting' }] });
    browser.close();
    expect(conversation.view().requests).toHaveLength(1);

    const folder = path.join(home.dir, 'more');
    mkdirSync(folder);
    const roots = await companion.run(['roots', 'add', folder, '--json']);
    await answerNext(companion, conversation, 'reject');
    const view = await conversation.waitFor(isDone);
    conversation.close();
    expect(JSON.parse(roots.stdout)).toEqual({ roots: [realpathSync(folder)] });
    expect(answerOf(view)).toContain('The answer was reject.');
    expect((await companion.run(['stop'])).code).toBe(0);
    await home.waitForProcesses((list) => !list.some(isDaemon));
  });
});
