/** A prompt that comes over a WebSocket: what the hooks of the routes do for one over HTTP is done here. */
import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { toTurnInput, type ActResponse, type MessageBody } from '#companion/compat/bodies.ts';
import { CompanionError, toErrorBody, ERRORS } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { toAuditRecord } from './audit-record.ts';
import { isAgent } from './callers.ts';
import type { ServerDeps } from './deps.ts';
import { entryOf } from './doors.ts';

type Accepted = z.input<typeof ActResponse>;

export const promptOverSocket =
  (deps: Pick<ServerDeps, 'sessions' | 'audit'>) =>
  async (request: IncomingMessage, sessionId: SessionId, body: z.output<typeof MessageBody>): Promise<Accepted> => {
    const { principal } = entryOf(request);
    const note = (status: number): void => deps.audit.add(toAuditRecord(principal, request, body, status));
    try {
      if (isAgent(principal)) throw new CompanionError('PERSON_ONLY');
      const { content: instruction, ...rest } = body;
      const { turnId, text, attachments = [] } = toTurnInput({ instruction, ...rest });
      const started = await deps.sessions.dispatch({
        type: 'turn.start',
        sessionId,
        prompt: { text, attachments },
        ...(turnId === undefined ? {} : { turnId }),
      });
      note(200);
      return { requestId: started.turnId ?? '', sessionId, status: 'accepted' };
    } catch (error) {
      note(ERRORS[toErrorBody(error).code].status);
      throw error;
    }
  };
