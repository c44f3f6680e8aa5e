/** Sessions: list, make, change, read, reset, remove; under the names of `/agent` and of `/api`. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as z from 'zod';
import { SessionInput, type SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { AttachmentId, ProjectId, SessionId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import { toAgentMessage } from '#protocol/realtime.ts';
import type { SessionView } from '#protocol/view.ts';
import type { ServerDeps } from '../deps.ts';
import { parse } from '../http-error.ts';
import { api } from '../scope.ts';
import { findSummary, SessionPatch, toApiSession, toSettings } from './session-body.ts';

const ByProject = z.object({ projectId: ProjectId });
const BySession = z.object({ sessionId: SessionId });
const ByAttachment = z.object({ sessionId: SessionId, attachmentId: AttachmentId });
const Page = z.object({ limit: z.coerce.number().int().min(0).default(0), offset: z.coerce.number().int().min(0).default(0) });

export const addSessionRoutes = (app: FastifyInstance, { sessions, engines, attachments }: ServerDeps): void => {
  const toApi = (summary: SessionSummary) => toApiSession(engines, summary);
  const listOf = (projectId: ProjectId) => sessions.list().filter((summary) => summary.projectId === projectId);

  const create = async (projectId: ProjectId, body: unknown, reply: FastifyReply) => {
    const input = parse(SessionInput, body);
    const { sessionId } = await sessions.dispatch({
      type: 'session.create',
      projectId,
      engine: input.engineName,
      ...(input.name === undefined ? {} : { name: input.name }),
      settings: toSettings(engines, input.engineName, input),
    });
    return reply.code(201).send({ session: toApi(findSummary(sessions, sessionId)) });
  };
  const remove = async (sessionId: SessionId, reply: FastifyReply) => {
    await sessions.dispatch({ type: 'session.delete', sessionId });
    return reply.code(204).send();
  };
  const history = (params: unknown, query: unknown) => {
    const view = sessions.view(parse(BySession, params).sessionId);
    const { limit, offset } = parse(Page, query);
    const page = view.items.slice(offset, limit === 0 ? undefined : offset + limit);
    const totalCount = view.items.length;
    return {
      success: true,
      sessionId: view.sessionId,
      messages: page.map((item) => toAgentMessage(view, item)),
      totalCount,
      pagination: { limit, offset, count: page.length, hasMore: offset + page.length < totalCount },
    };
  };

  app.get('/agent/sessions', api, () => ({ sessions: sessions.list().map(toApi) }));

  app.get('/agent/projects/:projectId/sessions', api, ({ params }) => ({
    sessions: listOf(parse(ByProject, params).projectId).map(toApi),
  }));
  app.get('/api/projects/:projectId/agent-sessions', api, ({ params }) => ({
    sessions: listOf(parse(ByProject, params).projectId).map(toApi),
  }));

  app.post('/agent/projects/:projectId/sessions', api, ({ params, body }, reply) =>
    create(parse(ByProject, params).projectId, body, reply),
  );
  app.post('/api/projects/:projectId/agent-sessions', api, ({ params, body }, reply) =>
    create(parse(ByProject, params).projectId, body, reply),
  );

  app.get('/agent/sessions/:sessionId', api, ({ params }) => ({
    session: toApi(findSummary(sessions, parse(BySession, params).sessionId)),
  }));

  /** The whole view, with the epoch that makes its `seq` a place to stream from. */
  app.get('/api/agent-sessions/:sessionId', api, ({ params }) => {
    const { sessionId } = parse(BySession, params);
    return { ...sessions.view(sessionId), epoch: sessions.epoch(sessionId) };
  });

  app.patch('/agent/sessions/:sessionId', api, async ({ params, body }) => {
    const { sessionId } = parse(BySession, params);
    const patch = parse(SessionPatch, body);
    const { engine } = sessions.view(sessionId);
    if (patch.engineName !== undefined && patch.engineName !== engine) {
      throw new CompanionError('ENGINE_UNSUPPORTED', `This session belongs to ${engine}.`, {
        remedy: `Start a new session for ${patch.engineName}.`,
      });
    }
    await sessions.dispatch({
      type: 'session.update',
      sessionId,
      ...(patch.name === undefined ? {} : { name: patch.name ?? '' }),
      settings: toSettings(engines, engine, patch),
    });
    return { session: toApi(findSummary(sessions, sessionId)) };
  });

  app.delete('/agent/sessions/:sessionId', api, ({ params }, reply) => remove(parse(BySession, params).sessionId, reply));
  app.delete('/api/agent-sessions/:sessionId', api, ({ params }, reply) => remove(parse(BySession, params).sessionId, reply));

  app.get('/agent/sessions/:sessionId/history', api, ({ params, query }) => history(params, query));
  app.get('/agent/chat/:sessionId/history', api, ({ params, query }) => history(params, query));

  app.post('/agent/sessions/:sessionId/reset', api, async ({ params }) => {
    const { sessionId } = parse(BySession, params);
    const before = sessions.view(sessionId);
    await sessions.dispatch({ type: 'session.reset', sessionId });
    return {
      success: true,
      deletedMessages: before.items.length,
      clearedEngineSessionId: before.engineSessionId !== null,
      session: toApi(findSummary(sessions, sessionId)),
    };
  });

  app.get('/api/agent-sessions/:sessionId/attachments/:attachmentId', api, ({ params }, reply) => {
    const { sessionId, attachmentId } = parse(ByAttachment, params);
    const ref = attachmentsOf(sessions.view(sessionId)).find((candidate) => candidate.attachmentId === attachmentId);
    if (ref === undefined) throw new CompanionError('ROUTE_NOT_FOUND', 'The session has no such attachment.');
    const isShown = ref.kind === 'image' || ref.kind === 'screenshot';
    return reply
      .header('content-type', isShown ? ref.mimeType : 'application/octet-stream')
      .header('content-disposition', isShown ? 'inline' : 'attachment')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(Buffer.from(attachments.load(ref).dataBase64, 'base64'));
  });
};

const attachmentsOf = (view: SessionView): AttachmentRef[] => view.turns.flatMap((turn) => turn.prompt.attachments);
