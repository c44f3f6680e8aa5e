/** Codex's background terminals: commands that go on after an interrupt or the end of a turn. */
import type { RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { TerminalsAnswer } from './schema.ts';

/** Ends all of them; otherwise the command that a turn was waiting for would outlive the interrupt. */
export const endCommands = (peer: RpcPeer, threadId: string): Effect[] => [
  peer.call('thread/backgroundTerminals/clean', { threadId }, () => []),
];

/** Ends the command of this item; its end is reported as the end of the item. */
export const stopCommand = (peer: RpcPeer, items: OpenItems, threadId: string, itemId: string): Effect[] => [
  peer.call('thread/backgroundTerminals/list', { threadId }, (answer) => {
    const running = TerminalsAnswer.safeParse('result' in answer ? answer.result : undefined);
    const terminal = running.success ? running.data.data.find((each) => each.itemId === itemId) : undefined;
    // A terminal that is not listed has ended already.
    if (terminal === undefined) return items.complete(itemId, 'cancelled');
    return [peer.call('thread/backgroundTerminals/terminate', { threadId, processId: terminal.processId }, () => [])];
  }),
];
