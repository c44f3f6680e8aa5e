import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EngineEvent } from '#companion/engines/engine.ts';
import { Redactor } from '#companion/lib/redact.ts';
import { RedactedListener } from '#companion/runs/redacted-listener.ts';

const SECRET = 'wxyz-secret-of-20-chars';

const listen = () => {
  let text = '';
  const lines: string[] = [];
  const listener = new RedactedListener(new Redactor([SECRET]), {
    onLine: (line) => void lines.push(line),
    onEvent: (event: EngineEvent) => {
      if (event.type === 'item.delta') text += event.text;
    },
    onEnd: () => {},
  });
  const say = (piece: string): void => listener.onEvent({ type: 'item.delta', itemId: 'm1', text: piece });
  return { listener, say, text: () => text, lines };
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('an agent that pauses is read to the last letter, even if a secret begins with it', () => {
  const { say, text } = listen();

  say('I look at it now');
  expect(text()).toBe('I look at it no');

  vi.advanceTimersByTime(1000);
  expect(text()).toBe('I look at it now');
});

test('a secret that comes with pauses is not shown, and no line of the agent that contains a part of it is kept', () => {
  const { listener, say, text, lines } = listen();

  for (const piece of ['It is wx', 'yz-secr', 'et-of-20-chars', '.']) {
    listener.onLine(`{"text":"${piece}"}`);
    say(piece);
    vi.advanceTimersByTime(1000);
  }

  expect(text()).toBe('It is wx[secret].');
  expect(lines.join('\n')).not.toMatch(/yz-secr|et-of-20/);
});

test('nothing is said after the end of the run', () => {
  const { listener, say, text } = listen();

  say('now');
  listener.onEnd({ code: 'ENGINE_START_FAILED', message: 'gone', remedy: '' });
  vi.advanceTimersByTime(1000);

  expect(text()).toBe('no');
});
