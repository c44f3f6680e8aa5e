import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Requests } from '#extension/background/requests.ts';

type Listener = (details: Record<string, unknown>) => void;

/** Chrome's events of requests, which are told by hand. */
const events = {
  onBeforeRequest: new Set<Listener>(),
  onSendHeaders: new Set<Listener>(),
  onAuthRequired: new Set<Listener>(),
  onCompleted: new Set<Listener>(),
};

const tell = (event: keyof typeof events, details: Record<string, unknown>): void => {
  for (const listener of events[event]) listener({ requestId: '1', method: 'GET', url: 'https://example.org/data', ...details });
};

const begin = (requestId: string, accept: string, method = 'GET'): void => {
  tell('onBeforeRequest', { requestId, method });
  tell('onSendHeaders', { requestId, method, requestHeaders: [{ name: 'Accept', value: accept }] });
};

beforeEach(() => {
  for (const listeners of Object.values(events)) listeners.clear();
  vi.useFakeTimers();
  const toEvent = (listeners: Set<Listener>) => ({
    addListener: (listener: Listener) => listeners.add(listener),
    removeListener: (listener: Listener) => listeners.delete(listener),
  });
  const webRequest = {
    onBeforeRequest: toEvent(events.onBeforeRequest),
    onSendHeaders: toEvent(events.onSendHeaders),
    onAuthRequired: toEvent(events.onAuthRequired),
    onCompleted: toEvent(events.onCompleted),
    onErrorOccurred: toEvent(new Set()),
  };
  vi.stubGlobal('chrome', { webRequest });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the requests of a tab that are under way', () => {
  test('are counted until they end, or have been open for too long', () => {
    const requests = new Requests();
    requests.follow(7);
    begin('1', '*/*');
    begin('2', '*/*');

    expect(requests.underWay(7, null)).toBe(2);
    tell('onCompleted', { requestId: '1' });
    expect(requests.underWay(7, null)).toBe(1);
    vi.advanceTimersByTime(4_001);
    expect(requests.underWay(7, null)).toBe(0);
    expect(requests.underWay(8, null)).toBe(0);
  });

  test('are no more awaited, and the page pauses as soon, when the clock of the system was set back by hours', () => {
    const requests = new Requests();
    requests.follow(7);
    begin('1', '*/*');
    begin('2', '*/*');
    tell('onCompleted', { requestId: '1' });

    vi.setSystemTime(Date.now() - 7_200_000);
    vi.advanceTimersByTime(4_001);

    expect(requests.underWay(7, null)).toBe(0);
    expect(requests.restlessMs(7)).toBe(0);
    expect(performance.now() - requests.lastEnd(7)).toBe(4_001);
  });

  test('of a page that makes them without end are looked at as far as they are new', () => {
    const requests = new Requests();
    requests.follow(7);
    for (let count = 1; count <= 5_000; count += 1) begin(`${count}`, '*/*', 'POST');

    expect(requests.underWay(7, null)).toBe(500);
    tell('onCompleted', { requestId: '1' });
    expect(requests.underWay(7, null)).toBe(500);
    for (let count = 2; count <= 5_000; count += 1) tell('onCompleted', { requestId: `${count}` });
    expect(requests.underWay(7, null)).toBe(0);
    vi.advanceTimersByTime(100);
    expect(requests.restlessMs(7)).toBe(0);
  });

  test('are not awaited once their server wants a name and a password', () => {
    const requests = new Requests();
    requests.follow(7);
    const since = performance.now();
    begin('1', '*/*');
    tell('onAuthRequired', { requestId: '1' });

    expect(requests.underWay(7, null)).toBe(0);
    expect(requests.heldBack(7, since)).toBe(1);
    tell('onCompleted', { requestId: '1' });
    expect(requests.heldBack(7, since)).toBe(0);
  });

  test('tell how long they have followed each other without a pause, in this page', () => {
    const requests = new Requests();
    requests.follow(7);
    const ask = (requestId: string, ms: number): void => {
      begin(requestId, '*/*', 'POST');
      vi.advanceTimersByTime(ms);
      tell('onCompleted', { requestId, method: 'POST' });
    };
    ask('1', 100);
    vi.advanceTimersByTime(100);
    expect(requests.restlessMs(7)).toBe(0);
    ask('2', 1_000);
    vi.advanceTimersByTime(50);
    ask('3', 1_000);

    expect(requests.restlessMs(7)).toBe(2_050);
    requests.arrived(7);
    expect(requests.restlessMs(7)).toBe(0);
    // What is open for as long as the page is shown is no work of it.
    begin('4', 'text/event-stream');
    vi.advanceTimersByTime(20_000);
    expect(requests.restlessMs(7)).toBe(0);
  });

  test('hold a stream of events only at first, or where an action began it', () => {
    const requests = new Requests();
    requests.follow(7);
    begin('1', 'text/event-stream');
    expect(requests.underWay(7, null)).toBe(1);
    vi.advanceTimersByTime(300);
    expect(requests.underWay(7, null)).toBe(0);
    const actedAt = performance.now();
    expect(requests.underWay(7, actedAt)).toBe(0);

    begin('2', 'text/event-stream');
    expect(requests.underWay(7, actedAt)).toBe(1);
    // What an agent's server streams to a page that asks for it in its own way has an end.
    begin('3', 'text/event-stream', 'POST');
    begin('4', 'application/json, text/event-stream');
    vi.advanceTimersByTime(300);
    expect(requests.underWay(7, null)).toBe(2);
  });

  test('hold a socket only at first: what a page shows may come by it', () => {
    const requests = new Requests();
    requests.follow(7);
    const open = (): void => tell('onCompleted', { requestId: '1', type: 'websocket', statusCode: 101 });

    open();
    expect(requests.underWay(7, null)).toBe(1);
    expect(requests.underWay(7, performance.now())).toBe(0);
    vi.advanceTimersByTime(300);
    expect(requests.underWay(7, null)).toBe(0);
    open();
    requests.arrived(7);
    expect(requests.underWay(7, null)).toBe(0);
  });

  test('are not over with a server that says no more than that it has heard, where it may answer by what is open', () => {
    const requests = new Requests();
    requests.follow(7);
    const send = (requestId: string, statusCode: number): number => {
      const actedAt = performance.now();
      begin(requestId, '*/*', 'POST');
      tell('onCompleted', { requestId, method: 'POST', statusCode });
      return requests.underWay(7, actedAt);
    };

    expect(send('1', 202)).toBe(0);
    begin('2', 'text/event-stream');
    vi.advanceTimersByTime(300);
    expect([send('3', 200), send('4', 202)]).toEqual([0, 1]);
    vi.advanceTimersByTime(300);
    expect(requests.underWay(7, performance.now() - 300)).toBe(0);
    tell('onCompleted', { requestId: '2' });
    expect(send('5', 204)).toBe(0);
    tell('onCompleted', { requestId: '6', type: 'websocket', statusCode: 101 });
    expect(send('7', 204)).toBe(1);
    vi.advanceTimersByTime(300);
    requests.arrived(7);
    expect(send('8', 204)).toBe(0);
  });

  test('do not hold those of an address whose last one waited for news', () => {
    const requests = new Requests();
    requests.follow(7);
    const ask = (requestId: string, query: string): void =>
      tell('onBeforeRequest', { requestId, url: `https://example.org/news?since=${query}` });
    ask('1', '0');
    expect(requests.underWay(7, null)).toBe(1);
    tell('onBeforeRequest', { requestId: '2', method: 'POST', url: 'https://example.org/news' });
    vi.advanceTimersByTime(9_000);
    // What is sent is awaited, however slow the last one was.
    tell('onBeforeRequest', { requestId: '3', method: 'POST', url: 'https://example.org/news' });
    expect(requests.underWay(7, null)).toBe(1);
    vi.advanceTimersByTime(1_000);
    tell('onCompleted', { requestId: '2' });
    tell('onCompleted', { requestId: '3' });
    tell('onBeforeRequest', { requestId: '6', method: 'POST', url: 'https://example.org/news' });
    expect(requests.underWay(7, null)).toBe(1);
    tell('onCompleted', { requestId: '6' });

    // While the first one is still open, and when it has ended.
    ask('4', '1');
    expect(requests.underWay(7, null)).toBe(0);
    tell('onCompleted', { requestId: '1' });
    expect(requests.underWay(7, null)).toBe(0);
    // One that is answered soon is none.
    tell('onCompleted', { requestId: '4' });
    ask('5', '2');
    expect(requests.underWay(7, null)).toBe(1);
    expect(requests.underWay(7, performance.now())).toBe(1);
  });

  test('are no longer heard of when the tab is forgotten', () => {
    const requests = new Requests();
    requests.follow(7);
    requests.forget(7);

    expect(Object.values(events).map(({ size }) => size)).toEqual([0, 0, 0, 0]);
  });
});
