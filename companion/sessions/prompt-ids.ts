/** Which prompts a log has: one that is repeated changes nothing, whatever became of the first. */
import type { SessionEvent } from '#protocol/events.ts';
import type { SessionView } from '#protocol/view.ts';

/** The id of the prompt that an event takes in; null when it takes in none. */
export const promptIn = (event: SessionEvent, kind: SessionView['kind']): string | null => {
  // An outside client's calls are turns as well. They are not sent as prompts, and there is no end to them.
  if (kind === 'client') return null;
  if (event.type === 'turn.queued' || event.type === 'turn.started') return event.turnId;
  // A message that was added to a running turn has the id of its prompt.
  return event.type === 'item.started' && event.item.kind === 'message' && event.item.role === 'user' ? event.itemId : null;
};
