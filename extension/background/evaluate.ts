/** Runs an agent's code in a page: by the debugger, because many pages forbid code that is made from text. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { DocumentGoneError, PageError } from '#extension/toolkit/page-error.ts';
import type { Evaluated } from '#extension/toolkit/page.ts';
import type { Debugger, Debuggers } from './debugger.ts';

/** What an agent is given of a result. */
const MAX_CHARS = 50_000;
const MAX_ERROR_CHARS = 2_000;

const Created = z.object({
  context: z.looseObject({
    id: z.number(),
    origin: z.string(),
    uniqueId: z.string(),
    auxData: z.looseObject({ isDefault: z.boolean(), frameId: z.string() }),
  }),
});
type Context = z.infer<typeof Created>['context'];

const Held = z.object({ result: z.looseObject({ objectId: z.string().optional() }) });
const Described = z.object({ node: z.looseObject({ backendNodeId: z.number() }) });
const Resolved = z.object({ object: z.looseObject({ objectId: z.string() }) });
const Called = z.object({
  result: z.looseObject({
    value: z.looseObject({ text: z.string().optional(), length: z.number().optional(), thrown: z.string().optional() }).optional(),
  }),
  exceptionDetails: z
    .looseObject({ text: z.string(), exception: z.looseObject({ description: z.string().optional() }).optional() })
    .optional(),
});

export interface Evaluation {
  readonly tabId: number;
  readonly signal: AbortSignal;
  readonly code: string;
  /** Under which the document's own content script holds the element that the code is given, or the document. */
  readonly key: string;
  readonly hasElement: boolean;
}

/** The result as JSON. Only the document that holds the key runs the code. */
export const evaluate = (debuggers: Debuggers, evaluation: Evaluation): Promise<Evaluated> => {
  const { tabId, signal } = evaluation;
  return debuggers.with(tabId, signal, async (attached) => {
    const contexts = await contextsOf(attached, tabId);
    try {
      return await debuggers.whileNoDialog(tabId, call(attached, contexts, evaluation));
    } catch (error) {
      throw goneWhenDestroyed(error);
    } finally {
      // Also after the call was stopped. A page that stands still behind a dialog answers when the dialog is.
      void chrome.debugger.sendCommand({ tabId }, 'Runtime.disable').catch(() => null);
    }
  });
};

const contextsOf = async (attached: Debugger, tabId: number): Promise<Context[]> => {
  const contexts: Context[] = [];
  const onEvent = (source: chrome.debugger.DebuggerSession, method: string, params?: object): void => {
    if (source.tabId !== tabId || method !== 'Runtime.executionContextCreated') return;
    const created = Created.safeParse(params);
    if (created.success) contexts.push(created.data.context);
  };
  chrome.debugger.onEvent.addListener(onEvent);
  try {
    await attached.send('Runtime.enable', {});
  } finally {
    chrome.debugger.onEvent.removeListener(onEvent);
  }
  return contexts;
};

const call = async (attached: Debugger, contexts: readonly Context[], { code, key, hasElement }: Evaluation): Promise<Evaluated> => {
  const held = await holderOf(attached, contexts, key);
  const main = contexts.find(({ auxData }) => auxData.isDefault && auxData.frameId === held?.context.auxData.frameId);
  if (held === null || main === undefined)
    throw new CompanionError('TOOL_FAILED', 'The element is in a frame of another site, which the debugger does not reach.', {
      remedy: 'Open the address of the frame with browser_navigate.',
    });
  const given = hasElement ? [{ objectId: await inContext(attached, held.objectId, main) }] : [];
  const { exceptionDetails, result } = Called.parse(
    await attached.send('Runtime.callFunctionOn', {
      functionDeclaration: declarationOf(code),
      arguments: given,
      uniqueContextId: main.uniqueId,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    }),
  );
  const { text, length = 0, thrown } = result.value ?? {};
  // What cannot be read as code is not thrown by it.
  const fault = thrown ?? exceptionDetails?.exception?.description ?? exceptionDetails?.text;
  if (fault !== undefined) throw new PageError('TOOL_FAILED', 'The code threw an error.', fault.slice(0, MAX_ERROR_CHARS));
  if (text === undefined) throw new CompanionError('TOOL_FAILED', 'The code gave no result that can be told.');
  return { json: text, isWhole: length <= MAX_CHARS };
};

/** Content scripts of other documents do not know the key. */
const holderOf = async (
  attached: Debugger,
  contexts: readonly Context[],
  key: string,
): Promise<{ readonly context: Context; readonly objectId: string } | null> => {
  const expression = `globalThis.pilotfishPage?.release(${JSON.stringify(key)})`;
  for (const context of contexts.filter(({ origin }) => origin === `chrome-extension://${chrome.runtime.id}`)) {
    const { result } = Held.parse(await attached.send('Runtime.evaluate', { expression, uniqueContextId: context.uniqueId }));
    if (result.objectId !== undefined) return { context, objectId: result.objectId };
  }
  return null;
};

/** The same element as the page's own scripts see it. */
const inContext = async (attached: Debugger, objectId: string, { id }: Context): Promise<string> => {
  const { node } = Described.parse(await attached.send('DOM.describeNode', { objectId }));
  const { object } = Resolved.parse(await attached.send('DOM.resolveNode', { backendNodeId: node.backendNodeId, executionContextId: id }));
  return object.objectId;
};

/** Runs inside the page. A function is called, and an expression is taken for its value. */
const declarationOf = (code: string): string => `async function (...given) {
  const tell = (_, part) => (part instanceof Node ? \`<\${part.nodeName.toLowerCase()}>\` : typeof part === 'bigint' ? \`\${part}n\` : part);
  let value;
  try {
    const code = (${code}
    );
    value = await (typeof code === 'function' ? code(...given) : code);
  } catch (error) {
    return { thrown: String(error?.stack ?? error) };
  }
  let text;
  try {
    text = JSON.stringify(value, tell) ?? String(value);
  } catch {
    text = String(value);
  }
  return { text: text.slice(0, ${MAX_CHARS}), length: text.length };
}`;

/** What V8 and Chrome say when the document went away. */
const goneWhenDestroyed = (error: unknown): unknown => {
  const text = error instanceof Error ? error.message : '';
  return /context was destroyed|uniqueContextId not found|Cannot find context|navigated or closed/i.test(text)
    ? new DocumentGoneError()
    : error;
};
