/** Talking to an agent: prompts and answers in, messages and streams out. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { ActRequest } from '#protocol/api.ts';
import { RequestAnswer } from '#protocol/requests.ts';
import { ItemId, ProjectId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import { toAgentMessage } from '#protocol/realtime.ts';
import { queuedTurns, runningTurn } from '#protocol/view.ts';
import type { ServerDeps } from '../deps.ts';
import { entryOf } from '../doors.ts';
import { parse } from '../http-error.ts';
import type { LogStream } from '../log-stream.ts';
import type { RealtimeStream } from '../realtime-stream.ts';
import { api } from '../scope.ts';
import { createAct } from './act.ts';

const BySession = z.object({ sessionId: SessionId });
const ByTurn = z.object({ sessionId: SessionId, requestId: TurnId });
const ByTask = z.object({ sessionId: SessionId, itemId: ItemId });
const ByRequest = z.object({ sessionId: SessionId, requestId: RequestId });
const ByProject = z.object({ projectId: ProjectId });
const Page = z.object({ limit: z.coerce.number().int().min(0).max(1000).default(50), offset: z.coerce.number().int().min(0).default(0) });
const After = z.object({ after: z.string().max(300).optional() });
const MessageBody = z.object({ content: z.string(), attachments: ActRequest.shape.attachments, requestId: ActRequest.shape.requestId });

export const addChatRoutes = (
  app: FastifyInstance,
  deps: ServerDeps,
  streams: { readonly log: LogStream; readonly realtime: RealtimeStream },
): void => {
  const { sessions } = deps;
  const act = createAct(deps);

  const cancel = async (sessionId: SessionId, turnId?: TurnId): Promise<number> => {
    const view = sessions.view(sessionId);
    const running = runningTurn(view);
    const open = [...queuedTurns(view), ...(running === undefined ? [] : [running])];
    const count = open.filter((turn) => turnId === undefined || turn.turnId === turnId).length;
    if (count > 0) await sessions.dispatch({ type: 'turn.cancel', sessionId, ...(turnId === undefined ? {} : { turnId }) });
    return count;
  };
  const cancelAll = async (params: unknown) => {
    const { sessionId } = parse(BySession, params);
    return { success: true, cancelledCount: await cancel(sessionId), sessionId };
  };

  app.post('/agent/chat/:sessionId/act', api, ({ params, body }) => act(parse(BySession, params).sessionId, parse(ActRequest, body)));

  app.post('/api/agent-sessions/:sessionId/message', api, ({ params, body }) => {
    const { content, ...rest } = parse(MessageBody, body);
    return act(parse(BySession, params).sessionId, parse(ActRequest, { instruction: content, ...rest }));
  });

  app.delete('/agent/chat/:sessionId', api, ({ params }) => cancelAll(params));
  app.delete('/agent/chat/:sessionId/cancel', api, ({ params }) => cancelAll(params));

  /** Idempotent: a turn that is over already is what the caller wanted. */
  app.delete('/agent/chat/:sessionId/cancel/:requestId', api, async ({ params }) => {
    const { sessionId, requestId } = parse(ByTurn, params);
    const count = await cancel(sessionId, requestId);
    return { success: true, message: count > 0 ? 'The turn is being cancelled.' : 'Nothing was running.', requestId, sessionId };
  });

  app.delete('/api/agent-sessions/:sessionId/tasks/:itemId', api, async ({ params }, reply) => {
    await sessions.dispatch({ type: 'task.stop', ...parse(ByTask, params) });
    return reply.code(204).send();
  });

  /** The end of what a command in the background has written so far */
  app.get('/api/agent-sessions/:sessionId/items/:itemId/output', api, ({ params }) => {
    const { sessionId, itemId } = parse(ByTask, params);
    return sessions.readTask(sessionId, itemId);
  });

  app.get('/agent/chat/:projectId/messages', api, ({ params, query }) => {
    const { projectId } = parse(ByProject, params);
    const { limit, offset } = parse(Page, query);
    const all = sessions
      .list()
      .filter((summary) => summary.projectId === projectId)
      .flatMap(({ id }) => {
        const view = sessions.view(id);
        return view.items.map((item) => toAgentMessage(view, item));
      })
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    const data = all.slice(offset, limit === 0 ? undefined : offset + limit);
    const pagination = { limit, offset, count: data.length, hasMore: offset + data.length < all.length };
    return { success: true, data, totalCount: all.length, pagination };
  });

  app.get('/agent/chat/:sessionId/stream', api, ({ params, query, headers }, reply) => {
    streams.realtime.open(reply.raw, parse(BySession, params).sessionId, cursorOf(headers, query));
    reply.hijack();
  });

  app.get('/api/agent-sessions/:sessionId/events', api, ({ params, query, headers }, reply) => {
    streams.log.open(reply.raw, parse(BySession, params).sessionId, cursorOf(headers, query));
    reply.hijack();
  });

  app.post('/api/agent-sessions/:sessionId/requests/:requestId', api, async ({ params, body, raw }) => {
    const { sessionId, requestId } = parse(ByRequest, params);
    const by = entryOf(raw).principal.type === 'panel' ? 'panel' : 'terminal';
    await sessions.dispatch({ type: 'request.answer', sessionId, requestId, answer: parse(RequestAnswer, body), by });
    return { success: true };
  });
};

/** The header wins: it is what a reader sends that was cut off. */
const cursorOf = (headers: IncomingHttpHeaders, query: unknown): string | null => {
  const last = headers['last-event-id'];
  return typeof last === 'string' ? last : (parse(After, query).after ?? null);
};
