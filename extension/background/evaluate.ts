/** Runs an agent's code in a page: by the debugger, because many pages forbid code that is made from text. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { writeJson } from '#extension/content/write-json.ts';
import { withoutValues } from '#extension/shared/hide-values.ts';
import { DocumentChangedError, DocumentGoneError, PageError } from '#extension/toolkit/page-error.ts';
import type { Evaluated } from '#extension/toolkit/page.ts';
import { keepNewest } from '#extension/shared/keep-newest.ts';
import type { Debugger, Debuggers } from './debugger.ts';
import { type DebuggedPlace, withFrameSessions } from './frame-sessions.ts';
import type { Watch } from './pending.ts';
import { TELLING } from './telling.ts';
import { BUSY_MS, Watchdog, endless } from './watchdog.ts';

/** What an agent is given of a result. */
const MAX_CHARS = 50_000;
const MAX_ERROR_CHARS = 2_000;
const CORRECT = 'Correct the code, and run it again if what it did until then allows it.';

const Created = z.object({
  context: z.looseObject({
    id: z.number(),
    origin: z.string(),
    uniqueId: z.string(),
    auxData: z.looseObject({ isDefault: z.boolean(), frameId: z.string() }),
  }),
});
export type Context = z.infer<typeof Created>['context'];

const Held = z.object({ result: z.looseObject({ objectId: z.string().optional() }) });
const Described = z.object({ node: z.looseObject({ backendNodeId: z.number() }) });
const Resolved = z.object({ object: z.looseObject({ objectId: z.string() }) });
const Answered = z.object({
  result: z.looseObject({ value: z.string().optional(), objectId: z.string().optional() }),
  exceptionDetails: z
    .looseObject({ text: z.string(), exception: z.looseObject({ description: z.string().optional() }).optional() })
    .optional(),
});
const Compiled = z.object({ exceptionDetails: z.unknown().optional() });
const Told = z.object({ text: z.string().optional(), length: z.number().optional(), thrown: z.string().optional() });

/** What is given in place of a result where the document is not watched, and the code was not run. */
const UNWATCHED = 'unwatched';

export interface Evaluation {
  readonly tabId: number;
  /** The document that the code is meant for. */
  readonly documentId: string;
  readonly signal: AbortSignal;
  readonly code: string;
  /** Under which the document's own content script holds the element that the code is given, or the document. */
  readonly key: string;
  readonly hasElement: boolean;
  /** What the secret fields of the page hold: an honest result leaves it out. */
  readonly secrets: readonly string[];
  /** How the code has its document watched; null where it is watched, or need not be. */
  readonly watch: Watch | null;
}

/** Where the page's own scripts run in documents that were asked before. Another document never has the same place, not even under the same address. */
const known = new Map<string, Context>();
const MAX_KNOWN = 200;

/** The result as JSON. Only the document that holds the key runs the code, or the place where the page's scripts ran in it before. */
export const evaluate = (debuggers: Debuggers, evaluation: Evaluation): Promise<Evaluated> => {
  const { tabId, signal, documentId, hasElement } = evaluation;
  return debuggers.with(tabId, signal, async (given) => {
    let listens = false;
    const send: Debugger['send'] = (method, ...more) => {
      listens ||= method === 'Runtime.enable';
      return given.send(method, ...more);
    };
    const attached: Debugger = { ...given, send };
    const runIn = (holder: Holder): Promise<Evaluated> => run(debuggers, attached, holder, evaluation);
    const main = hasElement ? undefined : known.get(documentId);
    const work = main === undefined ? findHolder(attached, evaluation, runIn) : runIn({ place: { tabId }, objectId: null, main });
    try {
      return await debuggers.whileNoDialog(tabId, work);
    } catch (error) {
      throw toFault(error);
    } finally {
      // Also after the call was stopped. A page that stands still behind a dialog answers when the dialog is.
      if (listens) void chrome.debugger.sendCommand({ tabId }, 'Runtime.disable').catch(() => null);
    }
  });
};

/** Runs the code in the document that holds the key, and remembers its place. */
const findHolder = async (
  attached: Debugger,
  { tabId, documentId, key }: Evaluation,
  runIn: (holder: Holder) => Promise<Evaluated>,
): Promise<Evaluated> => {
  const own = await holderIn(attached, [{ tabId }], key);
  if (own !== null) {
    remember(documentId, own.main);
    return runIn(own);
  }
  // The element is in a frame that has a process of its own.
  return withFrameSessions(attached, tabId, async (frames) => {
    const places = frames.map(({ place }) => place);
    const holder = await holderIn(attached, places, key);
    if (holder === null) throw new DocumentChangedError();
    return runIn(holder);
  });
};

const remember = (documentId: string, main: Context): void => {
  known.set(documentId, main);
  keepNewest(known, MAX_KNOWN);
};

/** What runs in the documents of one process; Runtime.disable ends the listening. */
export const contextsOf = async (attached: Debugger, { tabId, sessionId }: DebuggedPlace): Promise<Context[]> => {
  const contexts: Context[] = [];
  const onEvent = (source: chrome.debugger.DebuggerSession, method: string, params?: object): void => {
    if (source.tabId !== tabId || source.sessionId !== sessionId || method !== 'Runtime.executionContextCreated') return;
    const created = Created.safeParse(params);
    if (created.success) contexts.push(created.data.context);
  };
  chrome.debugger.onEvent.addListener(onEvent);
  try {
    await attached.send('Runtime.enable', {}, sessionId);
  } finally {
    chrome.debugger.onEvent.removeListener(onEvent);
  }
  return contexts;
};

/** The document that holds the key: where it is, what the key stands for there, and where the page's own scripts run. */
interface Holder {
  readonly place: DebuggedPlace;
  /** Null where nothing is handed to the code. */
  readonly objectId: string | null;
  readonly main: Context;
}

const run = async (
  debuggers: Debuggers,
  attached: Debugger,
  { place, objectId: held, main }: Holder,
  { signal, code, key, hasElement, secrets, watch }: Evaluation,
): Promise<Evaluated> => {
  const send: Send = (method, params) => attached.send(method, params, place.sessionId);
  if (hasElement && held !== null) await handOver(send, await inContext(send, held, main), key);
  const begin = async (asked: string, watching = watch?.code): Promise<z.infer<typeof Answered>> => {
    const expression = expressionOf(asked, hasElement ? key : null, watching);
    const begun = Answered.parse(
      await send('Runtime.evaluate', { expression, uniqueContextId: main.uniqueId, userGesture: true, timeout: BUSY_MS }),
    );
    if (watch === null || begun.result.value !== UNWATCHED) return begun;
    await watch.put();
    return begin(asked, 'true');
  };
  let begun = await begin(code);
  // Statements are the body of a function.
  if (begun.exceptionDetails !== undefined && !(await isExpression(send, code))) begun = await begin(`async (element) => {\n${code}\n}`);
  const { objectId } = begun.result;
  if (objectId === undefined || begun.exceptionDetails !== undefined) return told(begun, secrets);
  const watchdog = new Watchdog(debuggers, place, signal);
  const ended = send('Runtime.awaitPromise', { promiseObjectId: objectId });
  return told(Answered.parse(await watchdog.over(ended)), secrets);
};

/** Whether the code can be read as a function or an expression: only what cannot has surely not run. Nothing runs for that. */
const isExpression = async (send: Send, code: string): Promise<boolean> => {
  // Compiling is for those who listen only.
  await send('Runtime.enable', {});
  const compiled = await send('Runtime.compileScript', { expression: expressionOf(code, null), sourceURL: '', persistScript: false });
  return Compiled.parse(compiled).exceptionDetails === undefined;
};

/** Sends a command to where the code runs. */
type Send = (method: string, params: Record<string, unknown>) => Promise<unknown>;

const told = ({ result, exceptionDetails }: z.infer<typeof Answered>, secrets: readonly string[]): Evaluated => {
  const { text, length = 0, thrown } = exceptionDetails === undefined ? Told.parse(JSON.parse(result.value ?? '{}')) : {};
  // What cannot be read as code is not thrown by it.
  const fault = thrown ?? exceptionDetails?.exception?.description ?? exceptionDetails?.text;
  if (fault !== undefined)
    throw new PageError('TOOL_FAILED', 'The code threw an error.', withoutValues(fault, secrets).slice(0, MAX_ERROR_CHARS), {
      remedy: CORRECT,
    });
  if (text === undefined) throw new CompanionError('TOOL_FAILED', 'The code gave no result that can be told.');
  return { json: withoutValues(text, secrets), isWhole: length <= MAX_CHARS };
};

/** The code finds its element under the key, and takes it away. */
const handOver = (send: Send, objectId: string, key: string): Promise<unknown> =>
  send('Runtime.callFunctionOn', {
    functionDeclaration: 'function (key) { Object.defineProperty(globalThis, key, { value: this, configurable: true }); }',
    objectId,
    arguments: [{ value: key }],
  });

/** Content scripts of other documents do not know the key. */
const holderIn = async (attached: Debugger, places: readonly DebuggedPlace[], key: string): Promise<Holder | null> => {
  const expression = `globalThis.pilotfishPage?.release(${JSON.stringify(key)})`;
  for (const place of places) {
    const contexts = await contextsOf(attached, place);
    for (const { uniqueId, auxData } of contexts.filter(({ origin }) => origin === `chrome-extension://${chrome.runtime.id}`)) {
      const { result } = Held.parse(await attached.send('Runtime.evaluate', { expression, uniqueContextId: uniqueId }, place.sessionId));
      const main = contexts.find((context) => context.auxData.isDefault && context.auxData.frameId === auxData.frameId);
      if (result.objectId !== undefined && main !== undefined) return { place, objectId: result.objectId, main };
    }
  }
  return null;
};

/** The same element as the page's own scripts see it. */
const inContext = async (send: Send, objectId: string, { id }: Context): Promise<string> => {
  const { node } = Described.parse(await send('DOM.describeNode', { objectId }));
  const { object } = Resolved.parse(await send('DOM.resolveNode', { backendNodeId: node.backendNodeId, executionContextId: id }));
  return object.objectId;
};

/**
 * Runs inside the page. A function is called, and an expression is taken for its value; what has to be waited for is a promise of the same. It keeps
 * to what a page cannot replace, or looks whether it did: then writeJson writes what is told. The code stands outside of what is done with it, so that
 * a name in it means what it means in the page.
 */
const expressionOf = (code: string, key: string | null, watching = 'true'): string => `((take) => {
  try {
    if (!${watching}) return '${UNWATCHED}';
  } catch {
    return '${UNWATCHED}';
  }
  const given = ${key === null ? 'undefined' : `globalThis[${JSON.stringify(key)}]`};
  ${key === null ? '' : `delete globalThis[${JSON.stringify(key)}];`}
  ${TELLING}
  const isSound = () => {
    try {
      return JSON.stringify([{ a: ['"', 1, null] }], (_, part) => part) === '[{"a":["\\\\"",1,null]}]';
    } catch {
      return false;
    }
  };
  const write = isSound() ? JSON.stringify : (${writeJson.toString()});
  const thrown = (error) => write({ thrown: \`\${error?.stack ?? error}\` }, (_, part) => part);
  const written = (value, how) => {
    try {
      return write(value, how) ?? String(value);
    } catch {
      return null;
    }
  };
  const told = (value) => {
    // What holds itself is told once; what cannot be written at all only says what it is.
    const text = written(value, tell) ?? written(value, tellOnce()) ?? String(value);
    return write({ text: text.slice(0, ${MAX_CHARS}), length: text.length }, (_, part) => part);
  };
  const wait = async (value) => {
    try {
      return told(await value);
    } catch (error) {
      return thrown(error);
    }
  };
  try {
    const code = take();
    const value = typeof code === 'function' ? ${key === null ? 'code()' : 'code(given)'} : code;
    return typeof value?.then === 'function' ? wait(value) : told(value);
  } catch (error) {
    return thrown(error);
  }
})(() => (${code}
))`;

/** What V8 and Chrome say when the document went away, before the code ran and while it did, and when they ended the code. */
const toFault = (error: unknown): unknown => {
  const text = error instanceof Error ? error.message : '';
  if (/uniqueContextId not found/i.test(text)) return new DocumentChangedError();
  return /context was destroyed|Cannot find context|navigated or closed/i.test(text)
    ? new DocumentGoneError()
    : /execution was terminated/i.test(text)
      ? endless()
      : error;
};
