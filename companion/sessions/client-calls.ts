/** The log of an outside MCP client: it has no prompts, only calls. Calls that overlap make one turn. */
import { randomId } from '#companion/lib/random-id.ts';
import type { ToolResult } from '#protocol/browser.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { EventBody } from '#protocol/events.ts';
import { TurnId } from '#protocol/ids.ts';
import type { ItemImage, ItemPatch } from '#protocol/items.ts';
import { newItemId, type SessionLog } from './session-log.ts';

const MAX_TEXT_CHARS = 256 * 1024;

export interface CallRecord {
  finish(result: ToolResult | ErrorBody): void;
}

/** Of a call that is not recorded here. */
export const noCall: CallRecord = { finish: () => {} };

export interface ClientCalls {
  record(call: { name: string; args: Record<string, unknown>; title: string }): CallRecord;
}

/** Records the calls of the client whose session this is. */
export const createClientCalls = (journal: SessionLog): ClientCalls => {
  let turn: { turnId: TurnId; startedAt: number; openCalls: number } | null = null;
  return {
    record: ({ name, args, title }) => {
      const itemId = newItemId();
      const home = turn ?? { turnId: TurnId.parse(randomId('turn')), startedAt: performance.now(), openCalls: 0 };
      const { turnId } = home;
      const opening: EventBody[] = [];
      if (turn === null) {
        if (journal.view().run.state !== 'ready') opening.push({ type: 'run.changed', state: 'ready' });
        opening.push({ type: 'turn.started', turnId, prompt: { text: '', attachments: [] } });
      }
      turn = home;
      home.openCalls += 1;
      // One transaction for each end of a call: the call waits for both.
      journal.record([
        ...opening,
        { type: 'item.started', turnId, itemId, item: { kind: 'tool', tool: name, toolKind: 'browser', title, input: args, text: '' } },
      ]);
      let isOpen = true;
      return {
        finish: (result) => {
          if (!isOpen) return;
          isOpen = false;
          const isError = 'code' in result || result.isError === true;
          home.openCalls -= 1;
          const closing: EventBody[] = [];
          if (home.openCalls === 0) {
            turn = null;
            closing.push({
              type: 'turn.completed',
              turnId,
              outcome: 'completed',
              durationMs: Math.round(performance.now() - home.startedAt),
            });
          }
          journal.record([
            { type: 'item.completed', turnId, itemId, status: isError ? 'failed' : 'completed', patch: toPatch(result) },
            ...closing,
          ]);
        },
      };
    },
  };
};

const toPatch = (result: ToolResult | ErrorBody): ItemPatch => {
  if (isErrorBody(result)) return { text: `${result.message} ${result.remedy}` };
  const texts = result.content.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).filter((text) => text !== '');
  const images = result.content.flatMap((part): ItemImage[] =>
    part.type === 'image' && typeof part['data'] === 'string' && typeof part['mimeType'] === 'string'
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
