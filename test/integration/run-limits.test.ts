/** `pilotfish run` with limits and allowed tools, against the real Claude Code. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import * as z from 'zod';
import { test } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const Line = z.looseObject({ type: z.string(), sessionId: z.string(), error: z.looseObject({ code: z.string() }).optional() });

const linesOf = (stdout: string): z.infer<typeof Line>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));

describe('limits on the command line', () => {
  test(
    'stop the agent, and the session goes on when it is named with a higher one',
    { tags: 'whole' },
    async ({ companion, home, model }) => {
      home.installClaude(model.url);
      const runs = (command: string) => ({ parts: [{ tool: 'Bash', input: { command, description: 'Touch' } }] });
      model.script('begin now', runs('touch one'), { parts: [{ text: 'Never said.' }] });
      // The result that no answer followed counts as the first round of this prompt.
      model.script('go further', runs('touch never'), runs('touch two'), { parts: [{ text: 'It went on.' }] });
      const project = path.join(home.dir, 'work');
      mkdirSync(project);
      const run = async (...args: string[]) => companion.run(['run', ...args], { cwd: project });

      const first = await run('--engine=claude', '--max-turns=1', '--allow-tool=Bash', '--json', '--', 'begin now');
      const end = linesOf(first.stdout).at(-1);
      const again = await run(`--session=${end?.sessionId}`, '--max-turns=3', '--', 'go further');

      expect(first.code).toBe(4);
      expect(end).toMatchObject({ type: 'turn.completed', error: { code: 'ENGINE_BUDGET_REACHED' } });
      expect(again).toMatchObject({ code: 0, stdout: 'It went on.\n' });
      expect(['one', 'two'].map((name) => existsSync(path.join(project, name)))).toEqual([true, true]);
    },
  );

  test('of tokens stop the agent in the middle of what it does', async ({ companion, home, model, skip }) => {
    skip(!isWhole, 'as a limit of turns does: npm run test:whole');
    home.installClaude(model.url);
    // Only the limit ends this in time: the command takes longer than any test may.
    const wait = { tool: 'Bash', input: { command: 'sleep 600; touch late', description: 'Wait' } };
    model.script('begin now', { parts: [wait] }, { parts: [{ text: 'Never said.' }] });

    const { code, stdout } = await companion.run(
      ['run', '--engine=claude', '--max-tokens=50', '--allow-tool=Bash', '--json', '--', 'begin now'],
      {
        cwd: home.dir,
      },
    );

    expect(code).toBe(4);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'turn.completed', error: { code: 'ENGINE_BUDGET_REACHED' } });
  });

  test(
    'are refused before anything is begun, tools where the agent takes none too',
    { tags: 'whole' },
    async ({ companion, home, model }) => {
      home.installClaude(model.url);

      const limit = await companion.run(['run', '--engine=claude', '--max-cost=lots', '--', 'x'], { cwd: home.dir });
      const tool = await companion.run(['run', '--engine=codex', '--allow-tool=Bash', '--', 'x'], { cwd: home.dir });

      expect(limit).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-cost "lots": An amount above 0') });
      expect(tool).toMatchObject({ code: 1, stderr: expect.stringContaining('takes no allowed tools') });
      expect(model.requests).toEqual([]);
    },
  );
});
