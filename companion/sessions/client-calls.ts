/** The log of an outside MCP client: it has no prompts, only calls. Calls that overlap make one turn. */
import { randomId } from '#companion/lib/random-id.ts';
import type { ToolResult } from '#protocol/browser.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { EventBody } from '#protocol/events.ts';
import { type ItemId, TurnId } from '#protocol/ids.ts';
import type { ItemImage, ItemPatch } from '#protocol/items.ts';
import { newItemId, type SessionLog } from './session-log.ts';

/** What a person needs to see what was done; the client has the whole. */
const MAX_TEXT_CHARS = 8 * 1024;
const MAX_INPUT_CHARS = 4 * 1024;
const MAX_IMAGE_CHARS = 256 * 1024;

export interface CallRecord {
  finish(result: ToolResult | ErrorBody): void;
}

/** Of a call that is not recorded here. */
export const noCall: CallRecord = { finish: () => {} };

interface OpenTurn {
  readonly turnId: TurnId;
  readonly startedAt: number;
  openCalls: number;
}

/** Records the calls of the client whose log this is. */
export class ClientCalls {
  readonly #log: SessionLog;
  #turn: OpenTurn | null = null;
  /** Where each turn begins in the log, the oldest first. */
  readonly #starts = new Map<TurnId, number>();

  constructor(log: SessionLog) {
    this.#log = log;
  }

  record({ name, args, title }: { name: string; args: Record<string, unknown>; title: string }): CallRecord {
    const itemId = newItemId();
    const opening: EventBody[] = [];
    const turn = this.#turn ?? this.#beginTurn(opening);
    const { turnId } = turn;
    turn.openCalls += 1;
    // One transaction for each end of a call: the call waits for both.
    this.#log.record([
      ...opening,
      {
        type: 'item.started',
        turnId,
        itemId,
        item: { kind: 'tool', tool: name, toolKind: 'browser', title, input: capped(args), text: '' },
      },
    ]);
    if (opening.length > 0) this.#forgetOldest(turnId);
    let isOpen = true;
    return {
      finish: (result) => {
        if (isOpen) this.#finish(turn, itemId, result);
        isOpen = false;
      },
    };
  }

  #beginTurn(opening: EventBody[]): OpenTurn {
    const turn = { turnId: TurnId.parse(randomId('turn')), startedAt: performance.now(), openCalls: 0 };
    this.#turn = turn;
    if (this.#log.view().run.state !== 'ready') opening.push({ type: 'run.changed', state: 'ready' });
    opening.push({ type: 'turn.started', turnId: turn.turnId, prompt: { text: '', attachments: [] } });
    return turn;
  }

  /** What the view has dropped is not kept on disk either: a program calls as often as it likes. */
  #forgetOldest(newest: TurnId): void {
    const { turns, seq } = this.#log.view();
    // The turn began with the newest events but one.
    this.#starts.set(newest, seq - 1);
    const oldest = turns[0]?.turnId;
    const start = oldest === undefined ? undefined : this.#starts.get(oldest);
    if (start === undefined || this.#starts.size <= turns.length) return;
    for (const turnId of this.#starts.keys()) {
      if (turnId === oldest) break;
      this.#starts.delete(turnId);
    }
    this.#log.emptyBefore(start);
  }

  #finish(turn: OpenTurn, itemId: ItemId, result: ToolResult | ErrorBody): void {
    const { turnId, startedAt } = turn;
    const isError = 'code' in result || result.isError === true;
    const closing: EventBody[] = [];
    turn.openCalls -= 1;
    if (turn.openCalls === 0) {
      this.#turn = null;
      closing.push({ type: 'turn.completed', turnId, outcome: 'completed', durationMs: Math.round(performance.now() - startedAt) });
    }
    this.#log.record([
      { type: 'item.completed', turnId, itemId, status: isError ? 'failed' : 'completed', patch: toPatch(result) },
      ...closing,
    ]);
  }
}

const capped = (args: Record<string, unknown>): Record<string, unknown> => {
  const json = JSON.stringify(args);
  return json.length <= MAX_INPUT_CHARS ? args : { cut: `${json.slice(0, MAX_INPUT_CHARS)}…` };
};

const toPatch = (result: ToolResult | ErrorBody): ItemPatch => {
  if (isErrorBody(result)) return { text: `${result.message} ${result.remedy}` };
  const texts = result.content.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).filter((text) => text !== '');
  const images = result.content.flatMap((part): ItemImage[] =>
    part.type === 'image' &&
    typeof part['data'] === 'string' &&
    typeof part['mimeType'] === 'string' &&
    part['data'].length <= MAX_IMAGE_CHARS
      ? [{ mimeType: part['mimeType'], dataBase64: part['data'] }]
      : [],
  );
  const text = texts.join('\n');
  return {
    text: text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}\n… output cut` : text,
    ...(images.length === 0 ? {} : { images }),
  };
};

const isErrorBody = (result: ToolResult | ErrorBody): result is ErrorBody => 'code' in result && 'remedy' in result;
