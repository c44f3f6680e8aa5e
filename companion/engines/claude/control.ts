/** Claude's control channel: our requests with their answers, and its questions until the user has answered. */
import type { RequestAnswer } from '#protocol/requests.ts';
import { OpenRequests } from '#companion/engines/codecs/open-requests.ts';
import type { Effect } from '../engine.ts';
import { CanUseTool, type ControlCancelFrame, type ControlRequestFrame, type ControlResponseFrame } from './frames.ts';
import { toDecision, toRequest } from './permissions.ts';

type ControlAnswer = { isOk: true; response: unknown } | { isOk: false; error: string };

export class Control {
  readonly #cwd: string;
  readonly #waiting = new Map<string, (answer: ControlAnswer) => Effect[]>();
  readonly #asked = new OpenRequests<CanUseTool>();
  #sent = 0;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** A request to claude. `answered` runs when its answer comes. */
  send(request: Record<string, unknown>, answered?: (answer: ControlAnswer) => Effect[]): Effect[] {
    this.#sent += 1;
    const requestId = `pilotfish-${this.#sent}`;
    if (answered !== undefined) this.#waiting.set(requestId, answered);
    return [toLine({ type: 'control_request', request_id: requestId, request })];
  }

  /** Claude's answer to such a request. */
  response({ response }: ControlResponseFrame): Effect[] {
    const answered = this.#waiting.get(response.request_id);
    this.#waiting.delete(response.request_id);
    if (answered === undefined) return [];
    return answered(
      response.subtype === 'success' ? { isOk: true, response: response.response } : { isOk: false, error: response.error ?? 'refused' },
    );
  }

  /** A request that claude makes. */
  request({ request_id: requestId, request }: ControlRequestFrame): Effect[] {
    const ask = CanUseTool.safeParse(request);
    if (!ask.success) {
      const error = `Pilotfish does not serve ${request.subtype}`;
      return [toLine({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error } })];
    }
    return this.#asked.open(requestId, ask.data, toRequest(ask.data, this.#cwd), ask.data.tool_use_id ?? undefined);
  }

  /** Claude no longer waits for an answer. */
  cancel({ request_id: requestId }: ControlCancelFrame): Effect[] {
    return this.#asked.withdraw(requestId);
  }

  answer(requestId: string, answer: RequestAnswer): Effect[] {
    const ask = this.#asked.take(requestId);
    if (ask === undefined) return [];
    const response = toDecision(ask, answer);
    return [toLine({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } })];
  }

  /** Forgets all requests except those for which `isKept` is true, because nobody waits for their answers any more. */
  withdrawAll(isKept: (ask: CanUseTool) => boolean): Effect[] {
    return this.#asked.withdrawAll((ask) => !isKept(ask)).effects;
  }
}

const toLine = (frame: object): Effect => ({ type: 'write', line: JSON.stringify(frame) });
