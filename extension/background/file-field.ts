/** Tells the content script for which field a page opened a file dialog: a field that is in no document sends no event that it could hear. */
import * as z from 'zod';
import type { Debugger } from './debugger.ts';
import { contextsOf } from './evaluate.ts';

const Resolved = z.object({ object: z.looseObject({ objectId: z.string() }) });

export interface FileField {
  readonly tabId: number;
  /** The debugger's own names of frame and element. */
  readonly frameId: string;
  readonly backendNodeId: number;
}

const TELL = 'function () { globalThis.pilotfishPage?.asksForFiles(this); }';

/** False when it is in a frame that the debugger does not reach. */
export const keepFileField = async (attached: Debugger, { tabId, frameId, backendNodeId }: FileField): Promise<boolean> => {
  const contexts = await contextsOf(attached, { tabId });
  try {
    const own = contexts.find(({ origin, auxData }) => origin === `chrome-extension://${chrome.runtime.id}` && auxData.frameId === frameId);
    if (own === undefined) return false;
    const { object } = Resolved.parse(await attached.send('DOM.resolveNode', { backendNodeId, executionContextId: own.id }));
    await attached.send('Runtime.callFunctionOn', { functionDeclaration: TELL, objectId: object.objectId });
    return true;
  } finally {
    void chrome.debugger.sendCommand({ tabId }, 'Runtime.disable').catch(() => null);
  }
};
