import { createContext, runInContext } from 'node:vm';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { beginPart, countPending, endPending, untilOver } from '#extension/content/pending.ts';

const KEY = 'key';

/** They are put into a page together with what they use. */
const [WATCHERS] = buildSync({
  entryPoints: ['extension/content/pending.ts'],
  bundle: true,
  write: false,
  format: 'iife',
  globalName: 'watchers',
}).outputFiles;
const watcher = (name: string): string => `${WATCHERS?.text}; watchers.${name}(key)`;

/** A page as these functions see it, whose frames and time come when the test says so. */
const createPage = ({ hidden = false, isInWindow = true } = {}) => {
  const observers = new Set<() => void>();
  let drawings: (() => void)[] = [];
  const timers = new Set<() => void>();
  let time = 0;
  class IntersectionObserver {
    readonly #told: () => void;

    constructor(told: () => void) {
      this.#told = told;
    }

    observe(): void {
      observers.add(this.#told);
    }

    disconnect(): void {
      observers.delete(this.#told);
    }
  }
  const document = Object.assign(new EventTarget(), { hidden, documentElement: {} });
  const setInterval = (task: () => void): number => timers.add(task).size;
  const setTimeout = (task: () => void): number => (typeof task === 'function' ? timers.add(task) : timers).size;
  const requestAnimationFrame = (task: () => void): number => drawings.push(task);
  const window = new EventTarget();
  const events = {
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  };
  const page = { document, console: { error: () => {} }, performance: { now: () => time } };
  const [outerWidth, outerHeight] = isInWindow ? [800, 600] : [0, 0];
  const globals = {
    ...page,
    ...events,
    outerWidth,
    outerHeight,
    CustomEvent,
    IntersectionObserver,
    setTimeout,
    setInterval,
    requestAnimationFrame,
  };
  const context = createContext({ ...globals, key: KEY });
  const run = (injected: (key: string) => unknown): unknown => runInContext(`(${injected.toString()})(key)`, context);
  const watch = (name: string): unknown => runInContext(watcher(name), context);
  const count = (hasMoved: boolean): { count: number; errors: number } =>
    runInContext(`(${countPending.toString()})(key, ${hasMoved})`, context);
  return {
    observers,
    watch,
    setTimeout: (task: () => void, ms: number) => void context['setTimeout'](task, ms),
    begin: () => ['watchFrame', 'watchTasks', 'watchErrors'].map(watch),
    count: (hasMoved = true) => count(hasMoved).count,
    errors: () => count(true).errors,
    /** The page fails. */
    fail: () => void window.dispatchEvent(new Event('error')),
    complain: () => void runInContext(`console.error('no')`, context),
    end: () => void run(endPending),
    /** Turns true when the page says that it is over. */
    over: () => {
      const told = { isOver: false };
      void Promise.resolve(run(untilOver)).then(() => (told.isOver = true));
      return told;
    },
    pass: (ms: number) => {
      time += ms;
    },
    draw: () => {
      const due = drawings;
      drawings = [];
      for (const tell of [...due, ...observers]) tell();
    },
    does: (code: string): unknown => runInContext(code, context),
    beginPart: (horizonMs: number): unknown => runInContext(`(${beginPart.toString()})(key, ${horizonMs})`, context),
    /** The page puts something off. */
    putOff: (ms: number) => void runInContext(`setTimeout(() => {}, ${ms})`, context),
    /** Only what is put off by now. */
    fireOnce: () => {
      const due = [...timers];
      timers.clear();
      for (const task of due) task();
    },
    fire: () => {
      for (const task of timers) task();
    },
  };
};

describe('what an action has begun', () => {
  test('counts what the page told its console as errors, until it ends', () => {
    const page = createPage();
    page.complain();
    page.begin();

    page.fail();
    page.complain();

    expect(page.errors()).toBe(2);
    page.end();
    page.begin();
    expect(page.errors()).toBe(0);
  });

  test('is not over before the frame that follows the action, however late it comes', () => {
    const page = createPage();
    page.begin();

    const before = page.count();
    page.pass(900);
    const late = page.count();
    page.draw();

    expect([before, late, page.count()]).toEqual([1, 1, 0]);
  });

  test('is over without a frame where nothing has moved, until something does', () => {
    const page = createPage();
    page.begin();

    const unmoved = page.count(false);
    const moved = page.count();
    page.draw();

    expect([unmoved, moved, page.count()]).toEqual([0, 1, 0]);
  });

  test('is not over while a timer is late, because the page is busy', () => {
    const page = createPage();
    page.begin();
    page.count();
    page.draw();
    page.putOff(30);

    page.pass(500);
    const late = page.count();
    page.fire();

    expect([late, page.count()]).toEqual([1, 0]);
  });

  test('is not over before what a page puts off in a frame that came late, and not held up by what it puts off later', () => {
    const page = createPage();
    page.begin();
    page.pass(600);
    page.putOff(200);
    page.draw();

    const heard = page.count(false);
    page.fire();
    page.pass(600);
    page.putOff(200);

    expect([heard, page.count(false)]).toEqual([1, 0]);
  });

  test('is not over before what a part of the action puts off, long after the action began, and by more than is waited for else', () => {
    const page = createPage();
    page.begin();
    page.draw();
    page.pass(3_000);
    page.putOff(900);
    const whole = page.count(false);

    page.beginPart(1_000);
    page.putOff(900);
    const part = page.count(false);
    page.fire();
    page.putOff(1_100);
    const beyond = page.count(false);
    page.begin();
    page.draw();
    page.putOff(900);

    expect([whole, part, beyond, page.count(false)]).toEqual([0, 1, 0, 0]);
  });

  test('counts what a press puts off from the press, however long the hand took to come there', () => {
    const page = createPage();
    page.begin();
    page.draw();
    page.pass(600);

    page.putOff(400);
    const byItself = page.count(false);
    page.does(`globalThis.event = { type: 'pointerdown' }`);
    page.putOff(400);
    const pressed = page.count(false);
    page.putOff(800);

    expect([byItself, pressed, page.count(false)]).toEqual([0, 1, 1]);
  });

  test('follows frame after frame that a press has set off, and a few of those that the page draws by itself', () => {
    const [pressed, itself] = [createPage(), createPage()];
    const counts = [pressed, itself].map((page) => {
      page.begin();
      page.does(
        `globalThis.event = ${page === pressed ? "{ type: 'click' }" : 'undefined'}; step = () => requestAnimationFrame(step); step();`,
      );
      page.does('globalThis.event = undefined');
      return Array.from({ length: 6 }, () => {
        page.draw();
        page.pass(16);
        return page.count(false);
      });
    });

    expect(counts[0]).toEqual([1, 1, 1, 1, 1, 1]);
    expect(counts[1]).toContain(0);
    pressed.pass(700);
    pressed.draw();
    expect(pressed.count(false)).toBe(0);
  });

  test('follows a task that a press has begun and that puts itself off, and none that is the clock of the page', () => {
    const [pressed, itself] = [createPage(), createPage()];
    const counts = [pressed, itself].map((page) => {
      page.begin();
      page.draw();
      page.does(
        `globalThis.event = ${page === pressed ? "{ type: 'click' }" : 'undefined'}; step = () => setTimeout(step, 110); step(); globalThis.event = undefined`,
      );
      page.fireOnce();
      return page.count(false);
    });

    expect(counts).toEqual([1, 0]);
    pressed.pass(650);
    pressed.fireOnce();
    expect(pressed.count(false)).toBe(0);
  });

  test('is not over before a script that is a text has run', () => {
    const page = createPage();
    page.begin();
    page.does(`setTimeout('1', 30)`);

    const before = page.count(false);
    page.fire();

    expect([before, page.count(false)]).toEqual([1, 0]);
  });

  test('is not over before the first beat of a clock that a press has begun, and not held up by one that the page begins by itself', () => {
    const page = createPage();
    page.begin();
    page.does(`setInterval(() => {}, 400)`);
    const itself = page.count(false);

    page.does(`globalThis.event = { type: 'click' }; setInterval(() => {}, 400); globalThis.event = undefined`);
    const pressed = page.count(false);
    page.fire();

    expect([itself, pressed, page.count(false)]).toEqual([0, 1, 0]);
  });

  test('counts in a frame only what it was asked for, by a message or by the page around it', () => {
    const page = createPage();
    page.watch('watchErrands');
    page.putOff(30);
    const itself = page.count(false);

    page.does(`globalThis.event = { type: 'message' }; setTimeout(() => {}, 30); globalThis.event = undefined`);
    const asked = page.count(false);
    page.fire();
    const over = page.count(false);
    // A function of another page.
    page.setTimeout(() => {}, 30);

    expect([itself, asked, over, page.count(false)]).toEqual([0, 1, 0, 1]);
  });

  test('is over when the timers of a page that is not seen are kept back', () => {
    const page = createPage({ hidden: true });
    page.begin();
    page.putOff(30);
    const before = page.count();

    page.pass(131);

    expect([before, page.count()]).toEqual([1, 0]);
  });

  test('has a frame of its own after each action', () => {
    const page = createPage();
    page.begin();
    page.count();
    page.draw();

    page.begin();

    expect(page.count()).toBe(1);
  });

  test('waits for no frame in a page that is not drawn', () => {
    const hidden = createPage({ hidden: true });
    const inNoWindow = createPage({ isInWindow: false });
    const covered = createPage();
    for (const page of [hidden, inNoWindow, covered]) page.begin();

    expect([hidden.count(), inNoWindow.count(), covered.count()]).toEqual([0, 0, 1]);
    covered.pass(1_001);
    expect(covered.count()).toBe(0);
  });

  test('tells that it is over in the moment in which the last of it is', async () => {
    const page = createPage();
    page.begin();
    page.count();
    page.putOff(30);
    const told = page.over();

    page.draw();
    await Promise.resolve();
    const afterFrame = told.isOver;
    page.fire();

    await expect.poll(() => told.isOver).toBe(true);
    expect(afterFrame).toBe(false);
  });

  test('tells it at once when nothing was begun, and when nobody watches any more', async () => {
    const page = createPage();
    const nothing = page.over();
    page.begin();
    page.count();
    const ended = page.over();

    page.end();

    await expect.poll(() => [nothing.isOver, ended.isOver]).toEqual([true, true]);
  });

  test('leaves no observer behind', () => {
    const page = createPage();
    page.begin();
    page.count();

    page.end();

    expect(page.observers.size).toBe(0);
  });
});

describe('what a page has the browser work out', () => {
  const createWorking = () => {
    const settled: { resolve: () => void } = { resolve: () => {} };
    class SubtleCrypto {
      digest(): Promise<void> {
        return new Promise((resolve) => {
          settled.resolve = resolve;
        });
      }
    }
    class IDBDatabase {
      transaction(stores: string): EventTarget {
        if (stores === '') throw new Error('none');
        return new EventTarget();
      }
    }
    class HTMLElement extends EventTarget {
      heard: unknown = null;
      get onload(): unknown {
        return this.heard;
      }
      set onload(listener: unknown) {
        this.heard = listener;
      }
    }
    class HTMLImageElement extends HTMLElement {
      complete = false;
      loading = 'eager';
      isConnected = true;
      place = 0;
      getBoundingClientRect(): object {
        return { top: this.place, bottom: this.place + 9 };
      }
    }
    class Document extends EventTarget {}
    const globals = {
      document: new Document(),
      Document,
      EventTarget,
      CustomEvent,
      Event,
      Promise,
      performance: { now: () => 0 },
      innerHeight: 600,
      SubtleCrypto,
      IDBDatabase,
      HTMLElement,
      HTMLImageElement,
      key: KEY,
    };
    const context = createContext(globals);
    const run = (injected: (key: string) => unknown): unknown => runInContext(`(${injected.toString()})(key)`, context);
    return {
      settled,
      run,
      watch: (name: string): unknown => runInContext(watcher(name), context),
      does: (code: string): unknown => runInContext(code, context),
      count: (): number => runInContext(`(${countPending.toString()})(key, false)`, context).count,
    };
  };

  test('is not over before its promise or its event, and what fails at once was not begun', async () => {
    const page = createWorking();
    page.watch('watchWorks');

    const digested = page.does('new SubtleCrypto().digest()');
    page.does(`writing = new IDBDatabase().transaction('things')`);
    expect(() => page.does(`new IDBDatabase().transaction('')`)).toThrow('none');
    expect(page.count()).toBe(2);
    page.does(`writing.dispatchEvent(new Event('complete'))`);
    page.settled.resolve();
    await digested;

    await expect.poll(() => page.count()).toBe(0);
  });

  test('is a picture that the page listens to, and no other one; all is as before when nobody watches', () => {
    const page = createWorking();
    const before = page.does(
      `[EventTarget.prototype.addEventListener, Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'onload').set]`,
    );
    page.watch('watchPictures');

    page.does(`shown = new HTMLImageElement(); heard = new HTMLImageElement(); heard.onload = () => {}`);
    page.does(`lazy = new HTMLImageElement(); lazy.loading = 'lazy'; lazy.addEventListener('load', () => {}); lazy.place = 900`);
    expect(page.count()).toBe(1);
    page.does(`lazy.place = 300`);
    expect(page.count()).toBe(2);
    page.does(`lazy.complete = true`);
    page.does(`heard.complete = true; heard.dispatchEvent(new Event('load'))`);
    expect(page.count()).toBe(0);
    page.run(endPending);

    expect(
      page.does(`[EventTarget.prototype.addEventListener, Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'onload').set]`),
    ).toEqual(before);
  });
});

describe('what a page has asked others', () => {
  const createTalking = () => {
    const changes = new Set<() => void>();
    let time = 0;
    class MutationObserver {
      readonly #changed: () => void;

      constructor(changed: () => void) {
        this.#changed = changed;
      }

      observe(): void {
        changes.add(this.#changed);
      }

      disconnect(): void {
        changes.delete(this.#changed);
      }
    }
    class WebSocket extends EventTarget {
      send(): void {}
    }
    let messages: (() => void)[] = [];
    class MessagePort extends EventTarget {
      onmessage = (): void => {};
      other: MessagePort | null = null;

      postMessage(): void {
        const { other } = this;
        if (other !== null) messages.push(() => other.onmessage());
      }

      close(): void {}
    }
    class MessageChannel {
      readonly port1 = new MessagePort();
      readonly port2 = Object.assign(new MessagePort(), { other: this.port1 });
    }
    const globals = {
      document: new EventTarget(),
      AbortController,
      CustomEvent,
      Event,
      EventTarget,
      MutationObserver,
      performance: { now: () => time },
    };
    const context = createContext({ ...globals, WebSocket, MessagePort, MessageChannel, navigator: {}, key: KEY });
    runInContext(`socket = new WebSocket(); port = new MessagePort()`, context);
    runInContext(watcher('watchAnswers'), context);
    return {
      changes,
      does: (code: string): unknown => runInContext(code, context),
      change: () => {
        for (const changed of changes) changed();
      },
      pass: (ms: number) => {
        time += ms;
      },
      /** The messages that are under way arrive. */
      deliver: () => {
        const arrived = messages;
        messages = [];
        for (const arrive of arrived) arrive();
      },
      count: (): number => runInContext(`(${countPending.toString()})(key, false)`, context).count,
      end: () => void runInContext(`(${endPending.toString()})(key)`, context),
    };
  };

  test('is over with the answer that changes the page, not with one that only says that it was heard', () => {
    const page = createTalking();
    page.does(`socket.send('save')`);
    page.change();
    page.pass(10);
    page.does(`socket.dispatchEvent(new Event('message'))`);
    const heard = page.count();
    page.does(`socket.dispatchEvent(new Event('message'))`);
    page.change();

    expect([heard, page.count(), page.changes.size]).toEqual([1, 0, 0]);
  });

  test('is not waited for without an end, nor watched any longer', () => {
    const page = createTalking();
    page.does(`socket.send('save')`);
    page.pass(501);

    expect(page.count()).toBe(0);
    page.end();
    expect(page.changes.size).toBe(0);
  });

  test('is not what a scheduler sends to itself, but the tasks that it puts off by that', () => {
    const page = createTalking();
    page.does(`for (const sent of [null, undefined, 7, '7']) port.postMessage(sent)`);
    expect(page.count()).toBe(1);

    page.deliver();
    page.does(`port.postMessage(null)`);
    page.deliver();
    expect(page.count()).toBe(1);
    page.deliver();
    expect(page.count()).toBe(0);
    page.does(`port.postMessage({ question: 7 })`);
    expect(page.count()).toBe(1);
  });

  test('is not what a scheduler sends to itself without an end', () => {
    const page = createTalking();
    page.does(`port.postMessage(null)`);
    page.pass(701);
    page.does(`port.postMessage(null)`);

    expect(page.count()).toBe(0);
    page.deliver();
    page.deliver();
    expect(page.count()).toBe(0);
  });
});

describe('what a page asks the person for', () => {
  const createAsking = () => {
    const document = Object.assign(new EventTarget(), {});
    const answers: { permit: (answer: string) => void; locate: () => void } = { permit: () => {}, locate: () => {} };
    const printed: string[] = [];
    class Geolocation {
      getCurrentPosition(_: () => void, refused?: () => void): void {
        answers.locate = () => refused?.();
      }
    }
    const Notification = {
      requestPermission: () =>
        new Promise<string>((resolve) => {
          answers.permit = resolve;
        }),
    };
    const globals = {
      document,
      CustomEvent,
      Promise,
      Geolocation,
      Notification,
      performance: { now: () => 0 },
      print: () => printed.push('printed'),
      open: (url: string) =>
        url === '/a' || url === '/b' ? null : { location: { href: url === '/there' ? 'about:blank' : 'https://shown.example/' } },
      key: KEY,
    };
    const context = createContext({ ...globals, where: new Geolocation() });
    const run = (injected: (key: string) => unknown): unknown => runInContext(`(${injected.toString()})(key)`, context);
    return {
      answers,
      printed,
      run,
      watch: (name: string): unknown => runInContext(watcher(name), context),
      does: (code: string): unknown => runInContext(code, context),
      asks: (): string[] =>
        runInContext(`(${countPending.toString()})(key, false)`, context).asks.map(
          ([what, state]: [string, string]) => `${what}: ${state}`,
        ),
    };
  };

  test('is known while it waits, and with its answer', async () => {
    const page = createAsking();
    page.watch('watchAsks');

    page.does('where.getCurrentPosition(() => {}, () => {})');
    const asked = page.does('Notification.requestPermission()');
    expect(page.asks()).toEqual(['the location: waiting', 'notifications: waiting']);
    page.answers.locate();
    page.answers.permit('granted');
    await asked;
    expect(page.asks()).toEqual(['the location: refused', 'notifications: given']);
    page.watch('watchAsks');
    expect(page.asks()).toEqual([]);
  });

  test('is not printed while it is watched, and a tab that was blocked, or is new, is known', () => {
    const page = createAsking();
    page.watch('watchAsks');

    page.does(`print(); open('/a'); open('/b', '', 'noopener')`);
    expect([page.asks(), page.printed]).toEqual([['print: refused', 'tab: refused'], []]);
    page.watch('watchAsks');
    page.does(`open('/here', '_self')`);
    expect(page.asks()).toEqual([]);
    page.does(`open('/again', 'other')`);
    expect(page.asks()).toEqual([]);
    page.does(`open('/there', 'other')`);
    expect(page.asks()).toEqual(['tab: given']);
    page.run(endPending);
    page.does('print()');
    expect(page.printed).toEqual(['printed']);
  });

  test('waits for a window that has closed itself to go, and not for one that may not', () => {
    const page = createAsking();
    page.does('closed = false; close = () => void (closed = mayClose)');
    page.watch('watchAnswers');
    const counted = (): unknown => page.does(`(${countPending.toString()})(key, false).count`);

    page.does('mayClose = false; close()');
    expect(counted()).toBe(0);
    page.does('mayClose = true; close()');
    expect(counted()).toBe(1);
  });

  test('gives the page its own functions back, also one that two have watched', () => {
    const page = createAsking();
    const own = page.does('open');
    for (const name of ['watchAnswers', 'watchAsks']) page.watch(name);

    page.run(endPending);

    expect(page.does('open')).toBe(own);
  });
});
