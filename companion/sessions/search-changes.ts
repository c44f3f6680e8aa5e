/** What an event changes in the index of what was said and run. Pure. */
import type { SearchChange, SearchEntry } from '#companion/store/search-index.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { ItemBody } from '#protocol/items.ts';
import type { SearchKind } from '#protocol/search.ts';
import type { SessionView, ViewItem } from '#protocol/view.ts';

/** The beginning and the end of a longer text are kept: of output, the end says how it went. */
const MAX_HEAD_CHARS = 160_000;
const MAX_TAIL_CHARS = 40_000;
const MAX_INPUT_CHARS = 20_000;

/** `before` and `after` are the views around the event. An item is put in when it is over. */
export const searchChanges = (before: SessionView, event: SessionEvent, after: SessionView): SearchChange[] => {
  switch (event.type) {
    case 'item.started':
    case 'turn.started':
      return droppedOldest(before, after);
    case 'item.updated':
    case 'item.completed':
      return put(after.items.findLast((item) => item.itemId === event.itemId && isOver(item)));
    case 'item.dropped':
      return [{ type: 'drop', itemId: event.itemId }];
    case 'turn.completed': {
      const open = new Set(before.items.filter((item) => !isOver(item) && item.turnId === event.turnId).map(({ itemId }) => itemId));
      return open.size === 0 ? [] : after.items.filter((item) => open.has(item.itemId) && isOver(item)).flatMap(put);
    }
    case 'session.reset':
      return [{ type: 'clear' }];
    case 'session.created':
    case 'session.updated':
    case 'session.seen':
    case 'session.worktree':
    case 'session.forked':
    case 'session.bound':
    case 'turn.queued':
    case 'turn.unqueued':
    case 'turn.cancelling':
    case 'item.delta':
    case 'request.opened':
    case 'request.placed':
    case 'request.resolved':
    case 'usage.updated':
    case 'run.changed':
      return [];
  }
};

/** Whether everything up to here is in the index: nothing is open that a later event could add to. */
export const isSettled = ({ status, items }: SessionView): boolean => status === 'idle' && items.every(isOver);

const isOver = ({ status }: ViewItem): boolean => status !== 'running';

/** Of the session of an outside client only the newest turns are kept. */
const droppedOldest = (before: SessionView, after: SessionView): SearchChange[] => {
  if (before.kind !== 'client' || after.items.length >= before.items.length) return [];
  const kept = new Set(after.items.map(({ itemId }) => itemId));
  return before.items.flatMap(({ itemId }) => (kept.has(itemId) ? [] : [{ type: 'drop', itemId }]));
};

const put = (item: ViewItem | undefined): SearchChange[] => {
  if (item === undefined) return [];
  const { itemId, turnId, at, body } = item;
  const { kind, title = null, text } = describe(body);
  return [{ type: 'put', entry: { itemId, turnId, at, kind, title, text: cut(text) } satisfies SearchEntry }];
};

const describe = (body: ItemBody): { kind: SearchKind; title?: string; text: string } => {
  switch (body.kind) {
    case 'message':
      return { kind: ROLES[body.role], text: body.text };
    case 'thought':
      return { kind: 'thought', text: body.text };
    case 'plan':
      return { kind: 'plan', text: body.entries.map(({ content }) => content).join('\n') };
    case 'notice':
      return { kind: 'notice', text: body.text };
    case 'tool': {
      const changes = (body.changes ?? []).map(({ path, unified }) => `${path}\n${unified}`);
      return {
        kind: 'tool',
        title: body.title,
        text: [inputText(body.input, body.title), body.text, ...changes].filter(Boolean).join('\n'),
      };
    }
  }
};

const ROLES = { user: 'prompt', assistant: 'answer', system: 'notice' } as const;

/** The texts within what a tool was given, but for the one that is its title. */
const inputText = (input: unknown, title: string): string => {
  const texts: string[] = [];
  const read = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(read);
  };
  read(input);
  return texts
    .filter((text) => text !== title)
    .join('\n')
    .slice(0, MAX_INPUT_CHARS);
};

const cut = (text: string): string =>
  text.length <= MAX_HEAD_CHARS + MAX_TAIL_CHARS ? text : `${text.slice(0, MAX_HEAD_CHARS)}\n…\n${text.slice(-MAX_TAIL_CHARS)}`;
