/** Commands codex lets run on after an interrupt or the end of a turn: its background terminals. */
import type { RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { TerminalsAnswer } from './schema.ts';

/** Ends all of them: what a turn was waiting for outlives its interrupt otherwise. */
export const endCommands = (peer: RpcPeer, threadId: string): Effect[] => [
  peer.call('thread/backgroundTerminals/clean', { threadId }, () => []),
];

/** Ends the one of this item; its end comes as the end of the item. */
export const stopCommand = (peer: RpcPeer, items: OpenItems, threadId: string, itemId: string): Effect[] => [
  peer.call('thread/backgroundTerminals/list', { threadId }, (answer) => {
    const running = TerminalsAnswer.safeParse('result' in answer ? answer.result : undefined);
    const terminal = running.success ? running.data.data.find((each) => each.itemId === itemId) : undefined;
    // One that is not listed has ended already.
    if (terminal === undefined) return items.complete(itemId, 'cancelled');
    return [peer.call('thread/backgroundTerminals/terminate', { threadId, processId: terminal.processId }, () => [])];
  }),
];
