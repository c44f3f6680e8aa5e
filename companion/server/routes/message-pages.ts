/** Pages of what was said, for existing clients. Conversations are read part by part: none is in memory whole, and others work meanwhile. */
import { endOf, type Page, toPagination } from '#companion/compat/bodies.ts';
import { type AgentMessage, toAgentMessage } from '#companion/compat/realtime.ts';
import type { compatRoutes } from '#companion/compat/routes.ts';
import type { ViewInParts } from '#companion/sessions/session-log.ts';
import type { Given } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { ServerDeps } from '../deps.ts';

type Conversations = Pick<ServerDeps['sessions'], 'inParts'>;

/** Where a message stands, and when it was said. */
interface Place {
  readonly at: number;
  readonly sessionId: SessionId;
  readonly index: number;
}

/** A page of a session's messages. */
export const historyOf = async (
  sessions: Conversations,
  sessionId: SessionId,
  page: Page,
): Promise<Given<typeof compatRoutes.sessionHistory>> => {
  const { head, parts } = await sessions.inParts(sessionId);
  const messages: AgentMessage[] = [];
  let total = 0;
  for await (const { items } of parts()) {
    const [from, to] = [page.offset - total, endOf(page) - total].map((place) => Math.max(0, place));
    for (const item of items.slice(from, to)) messages.push(toAgentMessage(head, item));
    total += items.length;
  }
  return { success: true, sessionId, messages, ...toPagination(page, messages.length, total) };
};

/** A page of the messages of several sessions, oldest first. */
export const messagesOf = async (
  sessions: Conversations,
  ids: readonly SessionId[],
  page: Page,
): Promise<Given<typeof compatRoutes.projectMessages>> => {
  const places: Place[] = [];
  for (const sessionId of ids) {
    let index = 0;
    const conversation = await unlessRemoved(sessions, sessionId);
    for await (const { items } of conversation?.parts() ?? []) for (const { at } of items) places.push({ at, sessionId, index: index++ });
  }
  const wanted = places.toSorted((one, other) => one.at - other.at).slice(page.offset, endOf(page));
  const found = await readAt(sessions, wanted);
  const data = wanted.flatMap((place) => found.get(place) ?? []);
  return { success: true, data, ...toPagination(page, data.length, places.length) };
};

/** Null for a session that was removed while those before it were read. */
const unlessRemoved = async (sessions: Conversations, sessionId: SessionId): Promise<ViewInParts | null> => {
  try {
    return await sessions.inParts(sessionId);
  } catch (error) {
    if (error instanceof CompanionError && error.code === 'SESSION_NOT_FOUND') return null;
    throw error;
  }
};

const readAt = async (sessions: Conversations, places: readonly Place[]): Promise<Map<Place, AgentMessage>> => {
  const found = new Map<Place, AgentMessage>();
  for (const [sessionId, ofSession] of Map.groupBy(places, (place) => place.sessionId)) {
    const wanted = new Map(ofSession.map((place) => [place.index, place]));
    const conversation = await unlessRemoved(sessions, sessionId);
    if (conversation === null) continue;
    let index = 0;
    for await (const { items } of conversation.parts()) {
      for (const item of items) {
        const place = wanted.get(index);
        if (place !== undefined) found.set(place, toAgentMessage(conversation.head, item));
        wanted.delete(index);
        index += 1;
      }
      if (wanted.size === 0) break;
    }
  }
  return found;
};
