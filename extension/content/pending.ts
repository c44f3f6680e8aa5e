/**
 * What a page has begun and not yet finished: timers that will fire soon, requests, messages that wait for an answer. No browser tells an
 * extension of timers, so the page's own functions are watched, from just before an action until the page has come to rest after it.
 *
 * These functions run in the page's own world. Those that watch are put there together; the others one by one and by themselves, so they may
 * use nothing from outside themselves. All find each other by an event on the document, whose name `key` the page does not know.
 */
import { Awaited, prototypeOf, WatchedFunctions } from './awaited.ts';

/** What an action has put off for longer than this is not waited for. */
const HORIZON_MS = 700;
/** A quicker interval shows how far something has come. */
const QUICK_MS = 250;
/** A busy page is late. */
const LATE_MS = 2_500;
/** A page that is not seen keeps its timers back, and is not waited for. */
const HIDDEN_LATE_MS = 100;

/** Whether the page is in a listener for what a person does. What such a one puts off is no clock that the page has had before. */
const isHearing = (): boolean => isHeard(/^(click|(pointer|mouse|key)(down|up)|input|change|submit)$/);

const isHeard = (types: RegExp): boolean => {
  const heard: unknown = Reflect.get(Object(Reflect.get(globalThis, 'event')), 'type');
  return typeof heard === 'string' && types.test(heard);
};

/** Watches what the page puts off: timers, frames, idle times. Called again it only begins anew. */
export const watchTasks = (key: string): void => watchPutOff(key, isHearing, false);

/** The same in a frame, where only what others have asked it for counts: by a message, or by calling its functions. */
export const watchErrands = (key: string): void =>
  watchPutOff(key, (task) => isHeard(/^(message|storage)$/) || (typeof task === 'function' && !(task instanceof Function)), true);

/** How far ahead is waited for, from when an action or a part of one began. */
class Horizon {
  since = performance.now();
  readonly #key: string;
  #limitMs = HORIZON_MS;

  constructor(key: string) {
    this.#key = key;
  }

  begin(limitMs: number): void {
    this.since = performance.now();
    this.#limitMs = limitMs;
  }

  /**
   * A page hears of much only with its next frame; what it puts off in one that came late is not late by itself. What a person has set off counts
   * from the moment in which the page hears of it: the hand may come there long after the action began.
   */
  at(): number {
    const asked = { order: 'held', heldMs: 0 };
    document.dispatchEvent(new CustomEvent(this.#key, { detail: asked }));
    const beganAt = this.since + asked.heldMs;
    return (isHearing() ? Math.max(beganAt, performance.now()) : beganAt) + this.#limitMs;
  }
}

/** `isAsked`: what a person or somebody else has set off now. */
const watchPutOff = (key: string, isAsked: (task: unknown) => boolean, isOnlyAsked: boolean): void => {
  /** Each with the time from which on it is no longer waited for. */
  const pending = new Map<unknown, number>();
  const functions = new WatchedFunctions();
  const now = (): number => performance.now();
  const horizon = new Horizon(key);
  let made: MutationObserver | null = null;
  const isNew = answerFor(key, 'tasks', {
    begin: () => horizon.begin(HORIZON_MS),
    tell: (order, asked) => {
      if (order === 'part') horizon.begin(Number(Reflect.get(asked, 'horizonMs')) || HORIZON_MS);
    },
    count: () => [...pending.values()].filter((untilMs) => untilMs > now()).length,
    end: () => {
      made?.disconnect();
      functions.giveBack();
    },
  });
  if (!isNew) return;
  let [depth, running, isSetOff]: [number, unknown, boolean] = [0, null, false];
  const finish = (token: unknown): unknown =>
    pending.delete(token) && document.dispatchEvent(new CustomEvent(key, { detail: { order: 'over' } }));
  const follow = (token: object, task: Parameters<typeof Reflect.apply>[0], isOwnSetOff: boolean) => {
    const own = depth + 1;
    return function follower(this: unknown, ...args: unknown[]): unknown {
      finish(token);
      const outer = [depth, running, isSetOff] as const;
      [depth, running, isSetOff] = [own, task, isOwnSetOff];
      try {
        return Reflect.apply(task, this, args);
      } finally {
        [depth, running, isSetOff] = outer;
      }
    };
  };
  const watch = (owner: unknown, name: string, ends: string, deepest: number, delayOf: (delay: number) => number): void => {
    const tokens = new Map<unknown, object>();
    const apply = (original: Parameters<typeof Reflect.apply>[0], self: unknown, args: unknown[]): unknown => {
      const [task, ...others] = args;
      const delayMs = delayOf(Number(others[0]) || 0);
      const dueAt = now() + delayMs;
      const isOwnSetOff = isSetOff || isAsked(task);
      // A slow interval is a clock, of which what a person does begins at most the first beat.
      const isInterval = name === 'setInterval' && delayMs <= QUICK_MS;
      const isBeat = name === 'setInterval' && !isInterval;
      // A task that puts itself off again and again is the page's own clock, unless it was set off: it may count, or ask until all is done.
      const isClock = (task === running && delayMs > 100 && !isOwnSetOff) || ((depth > deepest || isBeat || isOnlyAsked) && !isOwnSetOff);
      const isText = typeof task === 'string' && name !== 'setInterval';
      if ((typeof task !== 'function' && !isText) || isClock || dueAt > horizon.at()) return Reflect.apply(original, self, args);
      const token = {};
      // An interval is over when it is cleared.
      pending.set(token, isInterval ? horizon.at() : dueAt + (document.hidden ? HIDDEN_LATE_MS : LATE_MS));
      const followed = isInterval || typeof task !== 'function' ? args : [follow(token, task, isOwnSetOff), ...others];
      const id: unknown = Reflect.apply(original, self, followed);
      // A text that is run as a script, as old pages do it: what is put off for as long after it comes after it.
      if (isText) Reflect.apply(original, self, [() => finish(token), ...others]);
      tokens.set(id, token);
      return id;
    };
    functions.replace(owner, name, { apply });
    functions.replace(owner, ends, {
      apply: (original, self, args): unknown => {
        finish(tokens.get(args[0]));
        return Reflect.apply(original, self, args);
      },
    });
  };
  const watchIn = (owner: unknown): void => {
    watch(owner, 'setTimeout', 'clearTimeout', 8, (delay) => delay);
    watch(owner, 'setInterval', 'clearInterval', 8, (delay) => delay);
    watch(owner, 'requestAnimationFrame', 'cancelAnimationFrame', 3, () => 16);
    watch(owner, 'requestIdleCallback', 'cancelIdleCallback', 3, () => 50);
  };
  watchIn(globalThis);
  if (!isOnlyAsked) made = hearFrames((inner) => now() < horizon.since + HORIZON_MS && watchIn(inner));
};

/** Tells of the windows of new frames before anything runs in them; a page of the same site keeps the window that its frame begins with: https://html.spec.whatwg.org/multipage/nav-history-apis.html#the-window-object */
const hearFrames = (hear: (inner: Window) => unknown): MutationObserver | null => {
  if (typeof MutationObserver !== 'function') return null;
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes) {
        const frames = node instanceof HTMLIFrameElement ? [node] : node instanceof Element ? node.querySelectorAll('iframe') : [];
        for (const { contentWindow } of frames) if (contentWindow !== null) orNothing(() => hear(contentWindow));
      }
  });
  observer.observe(document, { subtree: true, childList: true });
  return observer;
};

/** Another site's window gives nothing away. */
const orNothing = (look: () => unknown): void => {
  try {
    look();
  } catch {
    // Nothing in it is watched.
  }
};

/** Watches the frame that follows an action. It comes before `watchTasks`, to which frames that are asked for are the page's own. */
export const watchFrame = (key: string): void => {
  /** A page that draws no frame for this long is not being drawn. */
  const lateMs = 1_000;
  const draw: unknown = Reflect.get(globalThis, 'requestAnimationFrame');
  const now = (): number => performance.now();
  // A tab that the browser has put to sleep and loaded again is in no window before it is shown.
  const isInNoWindow = (): boolean => ['outerWidth', 'outerHeight'].every((side) => Reflect.get(globalThis, side) === 0);
  const isNeverDrawn = (): boolean => document.hidden || isInNoWindow();
  let [since, drawnAt]: [number, number | null] = [0, null];
  let observer: IntersectionObserver | null = null;
  let awaitedUntil = 0;
  const begin = (): void => {
    since = now();
    drawnAt = isNeverDrawn() || typeof draw !== 'function' ? since : null;
    observer?.disconnect();
    observer = null;
    if (typeof draw === 'function') Reflect.apply(draw, globalThis, [() => (drawnAt ??= now())]);
  };
  // Observers of places and sizes are told with the frame that follows, in the order in which they began: one that begins now is told last.
  const awaitFrame = (): void => {
    if (isNeverDrawn() || typeof IntersectionObserver !== 'function') return;
    awaitedUntil = now() + lateMs;
    const told = new IntersectionObserver(() => {
      told.disconnect();
      if (told !== observer) return;
      awaitedUntil = 0;
      document.dispatchEvent(new CustomEvent(key, { detail: { order: 'over' } }));
    });
    observer = told;
    told.observe(document.documentElement);
  };
  const isNew = answerFor(key, 'frame', {
    begin,
    tell: (order, asked) => {
      if (order === 'held') Reflect.set(asked, 'heldMs', Math.min((drawnAt ?? now()) - since, lateMs));
      if (order === 'count' && observer === null && Reflect.get(asked, 'awaitsFrame') === true) awaitFrame();
    },
    count: () => (observer !== null && awaitedUntil > now() ? 1 : 0),
    end: () => observer?.disconnect(),
  });
  if (isNew) begin();
};

/** Counts what the page tells its console as errors. */
export const watchErrors = (key: string): void => {
  let errors = 0;
  const err = (): void => {
    errors += 1;
  };
  const { error: tell } = console;
  const isNew = answerFor(key, 'errors', {
    tell: (order, asked) => void (order === 'count' && Reflect.set(asked, 'errors', errors)),
    end: () => {
      for (const type of ['error', 'unhandledrejection']) removeEventListener(type, err);
      if (console.error === told) console.error = tell;
    },
  });
  if (!isNew) return;
  const told = new Proxy(tell, {
    apply: (original, self, args): unknown => {
      err();
      return Reflect.apply(original, self, args);
    },
  });
  for (const type of ['error', 'unhandledrejection']) addEventListener(type, err);
  console.error = told;
};

/**
 * Watches what the page asks the person for in the browser's own words, which no other page or program sees: a place, a camera, a file. What
 * would be printed is not: the browser's dialog would hold the page up where nobody is.
 */
export const watchAsks = (key: string): void => {
  const asks = new Map<string, 'waiting' | 'given' | 'refused'>();
  const functions = new WatchedFunctions();
  const isNew = answerFor(key, 'asks', {
    begin: () => asks.clear(),
    tell: (order, asked) => void (order === 'count' && Reflect.set(asked, 'asks', [...asks])),
    end: () => functions.giveBack(),
  });
  if (!isNew) return;
  const replace = (
    owner: unknown,
    name: string,
    apply: (target: Parameters<typeof Reflect.apply>[0], self: unknown, args: unknown[]) => unknown,
  ): void => {
    functions.replace(owner, name, { apply });
  };
  const watch = (what: string, owner: unknown, name: string): void =>
    replace(owner, name, (target, self, args) => {
      asks.set(what, 'waiting');
      const result: unknown = Reflect.apply(target, self, args);
      const isNo = (given: unknown): boolean => given === 'denied' || given === 'default';
      if (result instanceof Promise)
        void result.then(
          (given: unknown) => asks.set(what, isNo(given) ? 'refused' : 'given'),
          () => asks.set(what, 'refused'),
        );
      return result;
    });
  for (const name of ['getCurrentPosition', 'watchPosition'])
    replace(prototypeOf('Geolocation'), name, (target, self, [given, refused, ...others]) => {
      asks.set('the location', 'waiting');
      const told = (callback: unknown, state: 'given' | 'refused') =>
        function heard(this: unknown, ...args: unknown[]): unknown {
          asks.set('the location', state);
          return typeof callback === 'function' ? Reflect.apply(callback, this, args) : undefined;
        };
      return Reflect.apply(target, self, [typeof given === 'function' ? told(given, 'given') : given, told(refused, 'refused'), ...others]);
    });
  watch('notifications', Reflect.get(globalThis, 'Notification'), 'requestPermission');
  watch('camera or microphone', prototypeOf('MediaDevices'), 'getUserMedia');
  watch('a picture of the screen', prototypeOf('MediaDevices'), 'getDisplayMedia');
  watch('the clipboard', prototypeOf('Clipboard'), 'read');
  watch('the clipboard', prototypeOf('Clipboard'), 'readText');
  for (const name of ['showOpenFilePicker', 'showSaveFilePicker', 'showDirectoryPicker'])
    watch('a file or folder of the computer', globalThis, name);
  replace(globalThis, 'print', () => void asks.set('print', 'refused'));
  replace(globalThis, 'open', (target, self, args) => {
    const opened: unknown = Reflect.apply(target, self, args);
    const isElsewhere = !/^_(self|parent|top)$/i.test(String(args[1]));
    // A window that was there before shows a page already, which may be another site's.
    const isNew = (): boolean => {
      try {
        return Reflect.get(Object(Reflect.get(Object(opened), 'location')), 'href') === 'about:blank';
      } catch {
        return false;
      }
    };
    if (opened === null && !/noopener|noreferrer/.test(String(args[2]))) asks.set('tab', 'refused');
    if (opened !== null && isElsewhere && isNew() && !asks.has('tab')) asks.set('tab', 'given');
    return opened;
  });
};

/** A page that asks again and again, as for how far a job has come, or because it was refused, has been answered so often. */
const MANY_ANSWERS = 4;

/** Longer than this no far end is waited for that says nothing of its own accord about an end. */
const ANSWER_MS = 500;

/** So many messages of our own come after the last one of a scheduler before it is at its end: it may send the next one only in the task that it has put off. */
const MESSAGES_AFTER = 2;

/** What a page does in many tasks, each of which it puts off by a message to itself, as frameworks do what takes long. */
class Going {
  readonly #awaited: Awaited;
  #since = performance.now();
  #left = 0;

  constructor(onOver: () => unknown) {
    this.#awaited = new Awaited(() => void onOver());
  }

  get count(): number {
    return this.#awaited.count;
  }

  begin(): void {
    this.#since = performance.now();
  }

  /** A message was sent, and `send` sends one after it. */
  hear(send: (port: MessagePort) => void): void {
    const isLate = (): boolean => performance.now() > this.#since + HORIZON_MS;
    const isFollowed = this.#left > 0;
    if (isLate() || typeof MessageChannel !== 'function') return;
    this.#left = MESSAGES_AFTER;
    if (isFollowed) return;
    const isOver = this.#awaited.begin(HORIZON_MS);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      this.#left = isLate() ? 0 : this.#left - 1;
      if (this.#left > 0) return send(port2);
      port1.close();
      isOver();
    };
    send(port2);
  }
}

/** Watches what the page waits for: requests, and answers by sockets and workers. */
export const watchAnswers = (key: string): void => {
  let answers = 0;
  const tell = (order: string): unknown => document.dispatchEvent(new CustomEvent(key, { detail: { order } }));
  const awaited = new Awaited(() => {
    // What comes with the answer may put off work of its own.
    if ((answers += 1) <= MANY_ANSWERS) tell('tasks');
    tell('over');
  });
  const going = new Going(() => tell('over'));
  const isNew = answerFor(key, 'answers', {
    begin: () => {
      answers = 0;
      going.begin();
    },
    count: () => awaited.count + going.count,
    end: () => awaited.giveBack(),
  });
  if (!isNew) return;
  // Old and new are drawn over each other: the page changes in a task of its own, and tells when it did.
  awaited.follow(prototypeOf('Document'), 'startViewTransition', 4_000);
  awaited.follow(globalThis, 'fetch', 4_000);
  awaited.follow(prototypeOf('XMLHttpRequest'), 'send', 4_000, ['loadend']);
  awaited.followAsked(prototypeOf('WebSocket'), 'send', ANSWER_MS);
  awaited.followMade('WebSocket', 2_000, ['open', 'error']);
  awaited.followAsked(prototypeOf('Worker'), 'postMessage', ANSWER_MS);
  // Its script is loaded first.
  awaited.followMade('Worker', 700, ['message', 'error']);
  // A shared worker, or another page of the site.
  awaited.followAsked(prototypeOf('MessagePort'), 'postMessage', ANSWER_MS, { onOwn: (send) => going.hear(send) });
  awaited.followAsked(prototypeOf('BroadcastChannel'), 'postMessage', ANSWER_MS);
  awaited.followAsked(prototypeOf('ServiceWorker'), 'postMessage', ANSWER_MS, {
    answering: Reflect.get(Object(Reflect.get(globalThis, 'navigator')), 'serviceWorker'),
  });
  // No page is told when its new tab is there.
  awaited.follow(globalThis, 'open', 150);
  awaited.followClosing(2_000);
};

/** What the browser does for a page, and tells by a promise. */
const WORKS: Readonly<Record<string, readonly string[]>> = {
  SubtleCrypto: ['decrypt', 'deriveBits', 'deriveKey', 'digest', 'encrypt', 'exportKey', 'generateKey', 'importKey', 'sign', 'verify'],
  CacheStorage: ['delete', 'has', 'keys', 'match', 'open'],
  Cache: ['add', 'addAll', 'delete', 'keys', 'match', 'matchAll', 'put'],
  StorageManager: ['estimate', 'getDirectory', 'persisted'],
  MediaDevices: ['enumerateDevices'],
  FileSystemDirectoryHandle: ['getFileHandle', 'removeEntry'],
  FileSystemFileHandle: ['createWritable', 'getFile'],
  FileSystemWritableFileStream: ['close', 'write'],
  Blob: ['arrayBuffer', 'text'],
  Response: ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'],
  CookieStore: ['delete', 'get', 'getAll', 'set'],
  RTCPeerConnection: ['createAnswer', 'createOffer', 'setLocalDescription', 'setRemoteDescription'],
  OffscreenCanvas: ['convertToBlob'],
  HTMLImageElement: ['decode'],
  FontFace: ['load'],
  FontFaceSet: ['load'],
  BaseAudioContext: ['decodeAudioData'],
  OfflineAudioContext: ['startRendering'],
};

/** Watches what the page has the browser work out, keep or look up. */
export const watchWorks = (key: string): void => {
  const limitMs = 4_000;
  const awaited = new Awaited(() => void document.dispatchEvent(new CustomEvent(key, { detail: { order: 'over' } })));
  if (!answerFor(key, 'works', { count: () => awaited.count, end: () => awaited.giveBack() })) return;
  for (const [owner, names] of Object.entries(WORKS)) for (const name of names) awaited.follow(prototypeOf(owner), name, limitMs);
  awaited.follow(globalThis, 'createImageBitmap', limitMs);
  for (const name of ['compile', 'instantiate']) awaited.follow(Reflect.get(globalThis, 'WebAssembly'), name, limitMs);
  for (const name of ['open', 'deleteDatabase']) awaited.follow(prototypeOf('IDBFactory'), name, limitMs, ['success', 'error']);
  awaited.follow(prototypeOf('IDBDatabase'), 'transaction', limitMs, ['complete', 'abort', 'error']);
  for (const name of ['readAsArrayBuffer', 'readAsDataURL', 'readAsText'])
    awaited.follow(prototypeOf('FileReader'), name, limitMs, ['loadend']);
  awaited.followCallback(prototypeOf('HTMLCanvasElement'), 'toBlob', limitMs);
  // It may be held for as long as the page is there.
  awaited.follow(prototypeOf('LockManager'), 'request', 700);
  awaited.follow(prototypeOf('Permissions'), 'query', 700);
  for (const name of ['write', 'writeText']) awaited.follow(prototypeOf('Clipboard'), name, 700);
  awaited.followTimed(Reflect.get(globalThis, 'AbortSignal'), 'timeout', HORIZON_MS, LATE_MS, 'abort');
  awaited.followDelayed(prototypeOf('Scheduler'), 'postTask', HORIZON_MS, LATE_MS);
  awaited.follow(prototypeOf('Scheduler'), 'yield', 700);
  // Most tones are only heard.
  awaited.followHeard(prototypeOf('AudioScheduledSourceNode'), 'stop', HORIZON_MS, 'ended');
  awaited.followHeard(prototypeOf('Animation'), 'play', HORIZON_MS, 'finish');
  awaited.follow(prototypeOf('HTMLMediaElement'), 'load', HORIZON_MS, ['loadeddata', 'error', 'suspend']);
  awaited.followPlayed(prototypeOf('HTMLMediaElement'), 'play', HORIZON_MS, LATE_MS);
  for (const name of ['scroll', 'scrollTo', 'scrollBy'])
    for (const owner of [globalThis, prototypeOf('Element')]) awaited.followScrolled(owner, name, 250, 1_500);
  awaited.followScrolled(prototypeOf('Element'), 'scrollIntoView', 250, 1_500);
};

/** Watches the pictures that the page listens to: it does something when they are there. Most of them it shows without a word. */
export const watchPictures = (key: string): void => {
  const limitMs = 1_000;
  const functions = new WatchedFunctions();
  const pictures = new Map<HTMLImageElement, number>();
  // A lazy one comes when it is about to be seen.
  const isLate = (picture: HTMLImageElement): boolean => {
    if (picture.loading !== 'lazy') return false;
    const { top, bottom } = picture.getBoundingClientRect();
    return !picture.isConnected || document.hidden || top >= innerHeight || bottom < 0;
  };
  const isComing = ([picture, untilMs]: [HTMLImageElement, number]): boolean =>
    !picture.complete && untilMs > performance.now() && !isLate(picture);
  const isNew = answerFor(key, 'pictures', {
    begin: () => pictures.clear(),
    count: () => [...pictures].filter(isComing).length,
    end: () => functions.giveBack(),
  });
  if (!isNew) return;
  const listens = (self: unknown): void => {
    if (typeof HTMLImageElement !== 'function' || !(self instanceof HTMLImageElement) || pictures.has(self)) return;
    pictures.set(self, performance.now() + limitMs);
    const over = (): void => {
      if (pictures.delete(self)) document.dispatchEvent(new CustomEvent(key, { detail: { order: 'over' } }));
    };
    for (const type of ['load', 'error']) self.addEventListener(type, over, { once: true });
  };
  functions.hearSet(prototypeOf('HTMLElement'), 'onload', listens);
  functions.replace(prototypeOf('EventTarget'), 'addEventListener', {
    apply: (target, self, args): unknown => {
      const result: unknown = Reflect.apply(target, self, args);
      if (args[0] === 'load') listens(self);
      return result;
    },
  });
};

/** Counts what changes in a frame while something is done in the page around it. */
export const watchChanges = (key: string): void => {
  let changes = 0;
  const observer = new MutationObserver((records) => {
    changes += records.length;
  });
  const isNew = answerFor(key, 'changes', {
    begin: () => {
      observer.takeRecords();
      changes = 0;
    },
    tell: (order, asked) => {
      if (order !== 'count') return;
      changes += observer.takeRecords().length;
      Reflect.set(asked, 'changes', changes);
    },
    end: () => observer.disconnect(),
  });
  if (isNew) observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
};

interface Watcher {
  /** It watches already, and another action begins. */
  begin?(): unknown;
  /** Answers to what is asked of all of them. */
  tell?(order: unknown, asked: object): void;
  /** How much is not finished. */
  count?(): number;
  end(): void;
}

/** What is asked of those that watch. */
const askedIn = (event: Event): object => (event instanceof CustomEvent ? Object(event.detail) : event);

/** Lets a watcher answer to the name that it is asked by; false when another one of that name does. */
const answerFor = (key: string, name: string, watcher: Watcher): boolean => {
  const question = { order: name, found: false };
  document.dispatchEvent(new CustomEvent(key, { detail: question }));
  if (question.found) return false;
  const answer = (event: Event): void => {
    const asked = askedIn(event);
    const order: unknown = Reflect.get(asked, 'order');
    if (order === name && Reflect.set(asked, 'found', true)) watcher.begin?.();
    watcher.tell?.(order, asked);
    if (order === 'count') Reflect.set(asked, 'count', Number(Reflect.get(asked, 'count')) + (watcher.count?.() ?? 0));
    const ends: unknown = order === 'end' ? Reflect.get(asked, 'ends') : null;
    if (!Array.isArray(ends)) return;
    ends.push(() => watcher.end());
    document.removeEventListener(key, answer);
  };
  document.addEventListener(key, answer);
  return true;
};

/** What has watched the document before begins anew when it is asked to. */
export const answerAgain = (key: string, isInner: boolean, begin: () => void): void => {
  document.addEventListener(key, (event) => {
    const asked = askedIn(event);
    if (Reflect.get(asked, 'order') !== 'again' || Reflect.get(asked, 'isInner') !== isInner) return;
    Reflect.set(asked, 'found', true);
    begin();
  });
  if (isInner) return;
  // What one world tells another in an event is a copy, which nothing can be written into.
  document.addEventListener(`${key} asked`, (event) => {
    const detail = countPending(key, Reflect.get(askedIn(event), 'awaitsFrame') === true);
    document.dispatchEvent(new CustomEvent(`${key} told`, { detail }));
  });
};

/** Has what has watched the document before begin anew; false where it has to be put there. */
export const watchAgain = (key: string, isInner: boolean): boolean => {
  const question = { order: 'again', isInner, found: false };
  document.dispatchEvent(new CustomEvent(key, { detail: question }));
  return question.found;
};

/**
 * How much of what was begun is not finished, how many errors the page told its console since then, what it asked the person for, and in a frame
 * how often that has changed. Where something has moved, the frame that follows is one of what was begun.
 */
export const countPending = (
  key: string,
  awaitsFrame: boolean,
): { count: number; errors: number; asks: [what: string, state: string][]; changes: number } => {
  const asks: [string, string][] = [];
  const question = { order: 'count', awaitsFrame, count: 0, errors: 0, asks, changes: 0 };
  document.dispatchEvent(new CustomEvent(key, { detail: question }));
  return { count: question.count, errors: question.errors, asks: question.asks, changes: question.changes };
};

/** A part of the action begins, of which is waited for what it puts off by up to this, or as much as an action, however long the whole has gone on. */
export const beginPart = (key: string, horizonMs: number): void =>
  void document.dispatchEvent(new CustomEvent(key, { detail: { order: 'part', horizonMs } }));

/** Resolves when all of it is finished, or the watching has ended. */
export const untilOver = (key: string): Promise<void> =>
  new Promise((resolve) => {
    const look = (event: Event | null): void => {
      const told: unknown = event instanceof CustomEvent ? event.detail : { order: 'over' };
      const order: unknown = typeof told === 'object' && told !== null ? Reflect.get(told, 'order') : null;
      if (order !== 'over' && order !== 'end') return;
      const question = { order: 'count', count: 0 };
      if (order === 'over') document.dispatchEvent(new CustomEvent(key, { detail: question }));
      if (question.count > 0) return;
      document.removeEventListener(key, look);
      resolve();
    };
    document.addEventListener(key, look);
    look(null);
  });

/** Ends the watching; the page has its own functions back. What was put around a watched function is taken away before that. */
export const endPending = (key: string): void => {
  const ends: (() => void)[] = [];
  document.dispatchEvent(new CustomEvent(key, { detail: { order: 'end', ends } }));
  for (const end of ends.toReversed()) end();
};
