/** What a page's listeners look for, by their source: nothing else tells whether a press was passed over because no hand had made it. */
import * as z from 'zod';
import type { Point } from '#extension/content/api.ts';
import type { Debugger } from './debugger.ts';

const GROUP = 'listeners';

const TYPES = new Set(['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu']);

const Held = z.object({ result: z.looseObject({ objectId: z.string() }) });
const Properties = z.object({
  result: z.array(z.looseObject({ name: z.string(), value: z.looseObject({ objectId: z.string().optional() }).optional() })),
});
const Heard = z.object({
  listeners: z.array(z.looseObject({ type: z.string(), handler: z.looseObject({ objectId: z.string().optional() }).optional() })),
});
const Asked = z.object({ result: z.looseObject({ value: z.unknown().optional() }) });

/** Whether a listener for a press at a place of the page, or around it, asks whether a hand made it. */
export const looksForTrust = async (attached: Debugger, point: Point): Promise<boolean> => {
  try {
    const expression = `(${pathTo.toString()})(${point.x}, ${point.y})`;
    const { result: path } = Held.parse(await attached.send('Runtime.evaluate', { expression, objectGroup: GROUP }));
    const { result } = Properties.parse(await attached.send('Runtime.getProperties', { objectId: path.objectId, ownProperties: true }));
    const nodes = result.flatMap(({ value }) => value?.objectId ?? []);
    const heard = await Promise.all(
      nodes.map(async (objectId) => Heard.parse(await attached.send('DOMDebugger.getEventListeners', { objectId }))),
    );
    const listeners = heard
      .flatMap((found) => found.listeners)
      .flatMap(({ type, handler }) => (TYPES.has(type) ? (handler?.objectId ?? []) : []));
    const asked = await attached.send('Runtime.callFunctionOn', {
      functionDeclaration: asksIn.toString(),
      objectId: path.objectId,
      arguments: listeners.map((objectId) => ({ objectId })),
      returnByValue: true,
    });
    return Asked.parse(asked).result.value === true;
  } finally {
    // Nothing waits for it: the press has had its answer.
    void attached.release('Runtime.releaseObjectGroup', { objectGroup: GROUP });
  }
};

/** Runs inside the page, as the next one does, so neither may use anything from outside itself. */
const pathTo = (x: number, y: number): object[] => {
  let target: Node | null = document.elementFromPoint(x, y);
  for (let inner = target; inner instanceof Element && inner.shadowRoot !== null && inner.shadowRoot !== target; target = inner ?? target) {
    const { shadowRoot }: Element = inner;
    inner = shadowRoot.elementFromPoint(x, y);
    if (inner === null || shadowRoot.host === inner) break;
  }
  const path: object[] = [];
  for (; target !== null; target = target instanceof ShadowRoot ? target.host : target.parentNode) path.push(target);
  return [...path, window];
};

/** Whether one of the listeners asks; frameworks keep the listener proper in a property. */
function asksIn(this: object[], ...listeners: unknown[]): boolean {
  const kept = this.flatMap((target) =>
    Object.keys(target)
      .filter((key) => key.startsWith('__reactProps$'))
      .flatMap((key) => Object.values(Object(Reflect.get(target, key)))),
  );
  return [...listeners, ...listeners.map((listener) => Reflect.get(Object(listener), 'value')), ...kept].some(
    (code) => typeof code === 'function' && Function.prototype.toString.call(code).includes('isTrusted'),
  );
}
