import { describe, expect } from 'vitest';
import type { Notice } from '#companion/sessions/notifier.ts';
import { TurnId } from '#protocol/ids.ts';
import { isIdle, test, type Stage } from './stage.ts';

/** All that is told from now on, in short. */
const listen = (stage: Stage): string[] => {
  const told: string[] = [];
  stage.sessions.subscribeNotices((notice: Notice) =>
    told.push(notice.type === 'notification' ? `${notice.notification.kind} ${notice.notification.key.split(':')[0]}` : 'over'),
  );
  return told;
};

describe('who does not look is told', () => {
  test('of an approval, of its end, and of the end of the work, each once', async ({ stage }) => {
    const sessionId = await stage.create();
    const told = listen(stage);

    await stage.send(sessionId, 'ask');
    await stage.until(sessionId, ({ requests }) => requests.length > 0);
    await stage.answer(sessionId, 'yes');
    await stage.until(sessionId, isIdle);

    expect(told).toEqual(['approval request', 'over', 'finished turn']);
  });

  test('of a failure, not of what was stopped, and not while another prompt waits', async ({ stage }) => {
    const sessionId = await stage.create();
    const told = listen(stage);

    await stage.turn(sessionId, 'crash');
    await stage.send(sessionId, 'hang');
    await stage.until(sessionId, ({ status }) => status === 'running');
    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId });
    await stage.until(sessionId, isIdle);

    expect(told).toEqual(['failed turn']);
  });

  test('not of what another program adds to the conversation', async ({ stage }) => {
    const sessionId = await stage.create();
    const told = listen(stage);

    await stage.sessions.dispatch({
      type: 'message.add',
      sessionId,
      turnId: TurnId.parse('added'),
      item: { kind: 'message', role: 'assistant', text: 'Deployed.' },
    });
    await stage.turn(sessionId, 'say hello');

    expect(told).toEqual(['finished turn']);
  });

  test('of nothing that is switched off', async ({ stage }) => {
    const sessionId = await stage.create();
    stage.store.settings.change({ notifyFinished: false });
    const told = listen(stage);

    await stage.turn(sessionId, 'say hello');

    expect(told).toEqual([]);
  });
});
