import { describe, expect, test } from 'vitest';
import { promptsOf, recallPrompt, type Recalled } from '#extension/sidepanel/prompt-history.ts';
import { emptyConversation, applyEvents } from '#extension/sidepanel/fold.ts';
import { createLog, queued, sessionId, started } from './log-builder.ts';

const walk = (prompts: readonly string[], steps: readonly ('older' | 'newer')[]): string[] => {
  let recalled: Recalled | null = null;
  return steps.map((step) => {
    recalled = recallPrompt(prompts, recalled, step);
    return recalled?.text ?? '';
  });
};

describe('the arrow keys in the composer', () => {
  test('walk from the newest prompt to the oldest, and back to the empty field', () => {
    expect(walk(['a', 'b', 'c'], ['older', 'older', 'older', 'older', 'newer', 'newer', 'newer'])).toEqual([
      'c',
      'b',
      'a',
      'a',
      'b',
      'c',
      '',
    ]);
  });

  test('find nothing in a session without prompts', () => {
    expect(walk([], ['older', 'newer', 'older'])).toEqual(['', '', '']);
  });

  test('walk over what was said, those that wait included, and over what was said twice in a row once', () => {
    const { events } = createLog().add(...started('t1', 'a'), ...started('t2', 'b'), ...started('t3', 'b'), queued('t4', 'c'));

    expect(promptsOf(applyEvents(emptyConversation(sessionId), events).view)).toEqual(['a', 'b', 'c']);
  });

  test('walk over what was said into a running turn', () => {
    const { events } = createLog().add(...started('t1', 'a'), {
      type: 'item.started',
      turnId: 't1',
      itemId: 'added',
      item: { kind: 'message', role: 'user', text: 'shorter' },
    });

    expect(promptsOf(applyEvents(emptyConversation(sessionId), events).view)).toEqual(['a', 'shorter']);
  });
});
