/** What the real codex asks its user, and what comes of the answers. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { agents } from '#test/fixtures/agents.ts';
import { answerNext, answerOf, turnsDone } from '#test/fixtures/conversation.ts';
import { codex, modes, patch, toolsOf } from './codex-stage.ts';
import { test } from './engine-stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const { tools } = agents.codex;
const SERVER = path.join(import.meta.dirname, '..', 'fixtures', 'mcp-server-double.ts');

describe('what codex asks', () => {
  test('a patch it may not make is shown as its diff: denied, nothing is written; allowed, it is', async ({ companion, setUp }) => {
    const { model, converse } = await setUp(codex);
    model.script('write it', { parts: [patch('*** Add File: a.txt', '+one')] }, { parts: [{ text: 'So it is.' }] });
    const conversation = await converse(modes.readOnly);
    const file = path.join(conversation.rootPath, 'a.txt');

    await conversation.act('write it');
    const request = await answerNext(companion, conversation, 'reject');
    const denied = await turnsDone(conversation, 1);
    const wasThere = existsSync(file);
    await conversation.act('write it, please');
    await answerNext(companion, conversation, 'allow_once');
    const allowed = await turnsDone(conversation, 2);

    expect(request).toMatchObject({
      kind: 'permission',
      title: 'Change files',
      detail: expect.stringContaining(`+++ ${file}\n@@ -0,0 +1,1 @@\n+one`),
    });
    expect(wasThere).toBe(false);
    expect(toolsOf(denied).map(({ status }) => status)).toEqual(['denied']);
    expect(toolsOf(allowed).map(({ status }) => status)).toEqual(['denied', 'completed']);
    expect(readFileSync(file, 'utf8')).toBe('one\n');
  });

  test('the reason of a refusal reaches the model; one that stops ends the turn', async ({ companion, setUp, skip }) => {
    skip(!isWhole, 'the recordings have it: npm run test:whole');
    const { model, converse } = await setUp(codex);
    model.script('touch it', { parts: [tools.shell('touch made.txt')] }, { parts: [{ text: 'Never mind.' }] });
    model.script('Not on Friday', { parts: [{ text: 'On Monday, then.' }] });
    const conversation = await converse();

    await conversation.act('touch it');
    await answerNext(companion, conversation, 'decline', { text: 'Not on Friday.' });
    const reasoned = await turnsDone(conversation, 1);
    await conversation.act('touch it now');
    await answerNext(companion, conversation, 'cancel');
    const stopped = await turnsDone(conversation, 2);

    expect(answerOf(reasoned)).toContain('On Monday, then.');
    expect(stopped.turns.map(({ status }) => status)).toEqual(['completed', 'cancelled']);
    expect(toolsOf(stopped).map(({ status }) => status)).toEqual(['denied', 'denied']);
    expect(existsSync(path.join(conversation.rootPath, 'made.txt'))).toBe(false);
  });

  test('a command allowed for the session is not asked about again', { tags: 'whole' }, async ({ companion, setUp }) => {
    const { model, converse } = await setUp(codex);
    model.script('count it', { parts: [tools.shell('echo x >> count.txt')] }, { parts: [{ text: 'Counted.' }] });
    const conversation = await converse();

    await conversation.act('count it');
    await answerNext(companion, conversation, 'allow_session');
    await turnsDone(conversation, 1);
    await conversation.act('count it again');
    await turnsDone(conversation, 2);

    expect(readFileSync(path.join(conversation.rootPath, 'count.txt'), 'utf8')).toBe('x\nx\n');
    expect(conversation.events().filter(({ type }) => type === 'request.opened')).toHaveLength(1);
  });

  test(
    "a tool of the user's own server asks, and so does the server itself with a form",
    { tags: 'whole' },
    async ({ companion, home, setUp }) => {
      const { model, converse } = await setUp(codex);
      const command = JSON.stringify(process.execPath);
      appendFileSync(
        path.join(home.dir, '.codex/config.toml'),
        `[mcp_servers.desk]\ncommand = ${command}\nargs = [${JSON.stringify(SERVER)}]\n`,
      );
      const find = { tool: 'tool_search', input: { query: 'desk paper stamp order', limit: 8 } };
      for (const name of ['stamp', 'order']) {
        model.script(`${name} it`, { parts: [find] }, { parts: [tools.mcp('desk', name, {})] }, ({ toolText }) => ({
          parts: [{ text: toolText }],
        }));
      }
      const conversation = await converse();

      await conversation.act('stamp it');
      const denial = await answerNext(companion, conversation, 'reject');
      const denied = await turnsDone(conversation, 1);
      await conversation.act('stamp it, please');
      await answerNext(companion, conversation, 'allow_once');
      const allowed = await turnsDone(conversation, 2);
      await conversation.act('order it');
      await answerNext(companion, conversation, 'allow_once');
      const form = await answerNext(companion, conversation, 'choice', { answers: { Size: ['large'], 'How many': ['3'] } });
      const ordered = await turnsDone(conversation, 3);

      expect(denial).toMatchObject({ kind: 'permission', where: 'desk' });
      expect(toolsOf(denied).map(({ tool, status }) => [tool, status])).toEqual([['stamp', 'denied']]);
      expect(answerOf(allowed)).toContain('stamped');
      expect(form).toMatchObject({ kind: 'question', questions: [{ question: 'How many' }, { question: 'Size' }] });
      expect(answerOf(ordered)).toMatch(/ordered .*"size":"large"/);
      expect(answerOf(ordered)).toMatch(/"count":3/);
    },
  );
});
