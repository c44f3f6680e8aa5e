/** Claude's control channel: our requests with their answers, and its questions until the user has answered. */
import type { RequestAnswer } from '#protocol/requests.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { CanUseTool, ControlCancelFrame, ControlRequestFrame, ControlResponseFrame } from './frames.ts';
import { toDecision, toRequest } from './permissions.ts';

type ControlAnswer = { isOk: true; response: unknown } | { isOk: false; error: string };

export interface Control {
  /** A request of ours. `answered` runs when its answer comes. */
  send(request: Record<string, unknown>, answered?: (answer: ControlAnswer) => Effect[]): Effect[];
  /** An answer to one of ours. */
  response(frame: unknown): Effect[];
  /** A request of claude's. */
  request(frame: unknown): Effect[];
  /** Claude no longer waits for an answer. */
  cancel(frame: unknown): Effect[];
  answer(requestId: string, answer: RequestAnswer): Effect[];
  /** Nobody waits for an answer any more, except to those for which `isKept` is true. */
  withdrawAll(isKept: (ask: CanUseTool) => boolean): Effect[];
}

export const createControl = (cwd: string): Control => {
  const waiting = new Map<string, (answer: ControlAnswer) => Effect[]>();
  const asked = new Map<string, CanUseTool>();
  let sent = 0;

  const respond = (requestId: string, response: Record<string, unknown>): Effect => ({
    type: 'write',
    line: JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } }),
  });
  const refuse = (requestId: string, error: string): Effect => ({
    type: 'write',
    line: JSON.stringify({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error } }),
  });

  return {
    send: (request, answered) => {
      sent += 1;
      const requestId = `pilotfish-${sent}`;
      if (answered !== undefined) waiting.set(requestId, answered);
      return [{ type: 'write', line: JSON.stringify({ type: 'control_request', request_id: requestId, request }) }];
    },
    response: (frame) => {
      const { response } = ControlResponseFrame.parse(frame);
      const answered = waiting.get(response.request_id);
      waiting.delete(response.request_id);
      if (answered === undefined) return [];
      return answered(
        response.subtype === 'success' ? { isOk: true, response: response.response } : { isOk: false, error: response.error ?? 'refused' },
      );
    },
    request: (frame) => {
      const { request_id: requestId, request } = ControlRequestFrame.parse(frame);
      const ask = CanUseTool.safeParse(request);
      if (!ask.success) return [refuse(requestId, `Pilotfish does not serve ${request.subtype}`)];
      asked.set(requestId, ask.data);
      return [
        say({
          type: 'request.opened',
          requestId,
          ...(typeof ask.data.tool_use_id === 'string' ? { itemId: ask.data.tool_use_id } : {}),
          request: toRequest(ask.data, cwd),
        }),
      ];
    },
    cancel: (frame) => {
      const { request_id: requestId } = ControlCancelFrame.parse(frame);
      return asked.delete(requestId) ? [say({ type: 'request.withdrawn', requestId })] : [];
    },
    answer: (requestId, answer) => {
      const ask = asked.get(requestId);
      if (ask === undefined) return [];
      asked.delete(requestId);
      return [respond(requestId, toDecision(ask, answer))];
    },
    withdrawAll: (isKept) => {
      const open = [...asked].filter(([, ask]) => !isKept(ask)).map(([requestId]) => requestId);
      for (const requestId of open) asked.delete(requestId);
      return open.map((requestId) => say({ type: 'request.withdrawn', requestId }));
    },
  };
};
