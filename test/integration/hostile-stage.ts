/** The built companion with an agent that misbehaves as it is told, as a real process. */
import path from 'node:path';
import { expect } from 'vitest';
import type { SessionView } from '#protocol/view.ts';
import { answerOf, startConversation, type Conversation } from '#test/fixtures/conversation.ts';
import { createCompanion, isDaemon, type Companion } from '#test/fixtures/companion.ts';
import { createHome, type Home } from '#test/fixtures/home.ts';
import { type Reusable, sharing } from '#test/fixtures/shared.ts';
import { test as base } from '#test/fixtures/stage.ts';

const SCRIPT = path.join(import.meta.dirname, '..', 'fixtures', 'hostile-engine-double.ts');

const writeAgent = (companion: Companion): void => {
  const custom = [{ name: 'hostile', command: process.execPath, args: [SCRIPT], dialect: 'acp' }];
  companion.writeSettings({ engines: { byName: {}, custom } });
};

/** A daemon that has the agent, for the tests of a file that leave it running. */
interface HostileStage extends Reusable {
  readonly home: Home;
  readonly companion: Companion;
  converse(): Promise<Conversation>;
}

const startStage = async (): Promise<HostileStage> => {
  const home = createHome();
  const companion = createCompanion(home);
  writeAgent(companion);
  await companion.startDaemon();
  const opened: Conversation[] = [];
  return {
    home,
    companion,
    converse: async () => {
      // A look for an agent finds the one of this conversation.
      for (const { sessionId } of opened.splice(0)) await companion.api.send('DELETE', `/agent/sessions/${sessionId}`);
      await home.waitForProcesses((list) => list.every(isDaemon));
      const conversation = await startConversation(companion, { engine: 'hostile' });
      opened.push(conversation);
      return conversation;
    },
    tidy: () => {
      for (const conversation of opened) conversation.close();
    },
    close: async () => {
      await companion.stopDaemon();
      await home.remove();
    },
  };
};

export const sharedTest = sharing(startStage);

export const test = base.extend<{ daemon: number; converse: () => Promise<Conversation> }>({
  daemon: [
    async ({ companion }, use) => {
      writeAgent(companion);
      await use(await companion.startDaemon());
    },
    { auto: true },
  ],
  converse: async ({ companion }, use) => {
    const opened: Conversation[] = [];
    await use(async () => {
      const conversation = await startConversation(companion, { engine: 'hostile' });
      opened.push(conversation);
      return conversation;
    });
    for (const conversation of opened) conversation.close();
  },
});

/** Resolves with the view after that many turns, and how long it took from the call. */
export const turnsDone = async (conversation: Conversation, count: number): Promise<{ view: SessionView; tookMs: number }> => {
  const startedAt = performance.now();
  const view = await conversation.waitFor(
    ({ turns, status }) => turns.length === count && status === 'idle' && turns.every(({ durationMs }) => durationMs !== null),
  );
  return { view, tookMs: performance.now() - startedAt };
};

/** Each turn ended once, nothing is open, and the next prompt is answered. */
export const expectToWorkOn = async (conversation: Conversation): Promise<void> => {
  const before = conversation.view().turns.length;
  await conversation.act('say and on');
  const { view } = await turnsDone(conversation, before + 1);
  expect(view.turns.at(-1)).toMatchObject({ status: 'completed', error: null });
  expect(answerOf(view).endsWith('and on')).toBe(true);
  expect(view.items.filter(({ status }) => status === 'running')).toEqual([]);
  const ends = conversation.events().flatMap((event) => (event.type === 'turn.completed' ? [event.turnId] : []));
  expect(new Set(ends).size).toBe(ends.length);
  expect(ends).toHaveLength(before + 1);
};
