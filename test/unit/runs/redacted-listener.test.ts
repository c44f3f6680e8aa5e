import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EngineEvent } from '#companion/engines/engine.ts';
import { Redactor } from '#companion/lib/redact.ts';
import { RedactedListener } from '#companion/runs/redacted-listener.ts';

const SECRET = 'wxyz-secret-of-20-chars';

const listen = (known: { redactor: Redactor } = { redactor: new Redactor([SECRET]) }) => {
  let text = '';
  const lines: string[] = [];
  const listener = new RedactedListener(known, {
    onLine: (line) => void lines.push(line),
    onEvent: (event: EngineEvent) => {
      if (event.type === 'item.delta') text += event.text;
      if (event.type === 'item.started' && event.item.kind !== 'plan') ({ text } = event.item);
      if (event.type === 'item.updated') text = event.patch.text ?? text;
      if (event.type === 'item.completed') text = event.patch?.text ?? text;
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

test('a secret that a program has coloured within, as grep does what it has found, is not shown when it comes in pieces', () => {
  const { listener, say, text, lines } = listen();
  const output = 'KEY=wxyz-\u001b[01;31m\u001b[Ksecret\u001b[m\u001b[K-of-20-chars\n\u001b[32mdone\u001b[0m\n';

  for (const piece of output.match(/[^]{1,3}/g) ?? []) {
    listener.onLine(JSON.stringify({ output: piece }));
    say(piece);
    vi.advanceTimersByTime(1000);
  }
  listener.onEvent({ type: 'item.completed', itemId: 'm1', status: 'completed', patch: { text: output } });

  expect(text()).toBe('KEY=[secret]\n\u001b[32mdone\u001b[0m\n');
  expect(lines.map((line) => String(JSON.parse(line).output)).join('')).not.toContain('secret');
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

test('the last letters of an agent that dies are told, and no part of a secret among them', () => {
  const [harmless, revealing] = [listen(), listen()];

  harmless.say('I look at it now');
  revealing.say('It is wxyz-secret-of');
  for (const { listener } of [harmless, revealing]) listener.onEnd({ code: 'ENGINE_CRASHED', message: 'gone', remedy: '' });

  expect([harmless.text(), revealing.text()]).toEqual(['I look at it now', 'It is [secret]']);
});

test('nothing is said after the end of the run', () => {
  const { listener, say, text } = listen();

  say('now');
  listener.onEnd({ code: 'ENGINE_START_FAILED', message: 'gone', remedy: '' });
  const told = text();
  vi.advanceTimersByTime(1000);

  expect([told, text()]).toEqual(['now', 'now']);
});

test('a secret that begins in the first text of an item, or in one that replaces it, is not shown when it goes on', () => {
  const { listener, say, text, lines } = listen();

  listener.onEvent({ type: 'item.started', itemId: 'm1', item: { kind: 'thought', text: 'It is wxyz-sec' } });
  say('ret-of-20-chars.');
  expect(text()).toBe('It is [secret].');

  listener.onEvent({ type: 'item.updated', itemId: 'm1', patch: { text: 'I said wx' } });
  expect(text()).toBe('I said wx');
  listener.onLine('{"text":"yz-secret-"}');
  say('yz-secret-');
  listener.onEvent({ type: 'item.updated', itemId: 'm1', patch: { text: `I said ${SECRET} wxyz-sec` } });
  expect(text()).toBe('I said [secret] ');

  listener.onEvent({ type: 'item.completed', itemId: 'm1', status: 'completed', patch: { text: 'At last wxyz-sec' } });
  expect(text()).toBe('At last [secret]');
  expect(lines).toEqual([]);
});

test('a secret that becomes known while the agent speaks is not shown from then on', () => {
  const known = { redactor: new Redactor([]) };
  const { say, text } = listen(known);

  say('It is wxyz');
  known.redactor = new Redactor([SECRET]);
  say(' now wxyz-sec');
  say('ret-of-20-chars.');

  expect(text()).toBe('It is wxyz now [secret].');
});

test('the title and the input of a call that grow letter by letter show nothing of a secret, and are whole in the end', () => {
  const told: string[] = [];
  const listener = new RedactedListener(
    { redactor: new Redactor([SECRET, 'passport-77']) },
    { onLine: () => {}, onEvent: (event) => void told.push(JSON.stringify(event)), onEnd: () => {} },
  );
  const command = `echo ${SECRET}`;
  const input = (text: string): object => ({ command: text, note: 'renew the pass' });
  listener.onEvent({ type: 'item.started', itemId: 't1', item: { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'e', text: '' } });

  for (let length = 2; length <= command.length; length += 1) {
    const grown = command.slice(0, length);
    listener.onEvent({ type: 'item.updated', itemId: 't1', patch: { title: `${grown}…`, input: input(grown) } });
  }
  listener.onEvent({ type: 'item.updated', itemId: 't1', patch: { title: command } });
  const growing = told.join('\n');
  listener.onEvent({ type: 'item.completed', itemId: 't1', status: 'completed' });

  expect(growing).toContain('echo wxy"');
  expect(growing).not.toContain('wxyz');
  expect(growing).toContain('renew the [secret]');
  expect(JSON.parse(told.at(-1) ?? '')).toMatchObject({ patch: { input: { command: 'echo [secret]', note: 'renew the pass' } } });
});

test('a secret that a title or an error holds the beginning of, because it was cut, is not shown', () => {
  const told: string[] = [];
  const listener = new RedactedListener(
    { redactor: new Redactor([SECRET]) },
    { onLine: () => {}, onEvent: (event) => void told.push(JSON.stringify(event)), onEnd: (error) => void told.push(error.message) },
  );

  listener.onEvent({ type: 'item.completed', itemId: 't1', status: 'failed', patch: { title: 'curl -H wxyz-secret-o...' } });
  listener.onEvent({ type: 'notice', level: 'warning', text: 'It said wxyz-secret-of' });
  listener.onEnd({ code: 'ENGINE_START_FAILED', message: 'gone: wxyz-sec…', remedy: '' });

  expect(told.join('\n')).not.toContain('wxyz-');
  expect(told[0]).toContain('curl -H [secret]...');
});
