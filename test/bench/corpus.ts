/** What an agent writes in a long day of work, made up: the same bytes on every machine. */
import { closeSync, openSync, writeSync } from 'node:fs';

const WORDS =
  'the server returns a list of open tabs and const value = await fetch(url) if (x) { return null; } path/to/file.ts "quoted"'.split(' ');
const FOREIGN = ['größer', '日本語', '—'];
const USAGE = { input_tokens: 1200, output_tokens: 80, cache_creation_input_tokens: 0, cache_read_input_tokens: 23_000 };
const SESSION = '00000000-0000-4000-8000-000000000000';

/** Writes at least `sizeBytes` of turns in claude's stream-json: pieces of text and of arguments, calls, results, screenshots. */
export const writeCorpus = (file: string, sizeBytes: number): void => {
  const random = createRandom(12_345);
  const between = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  const text = (length: number): string => {
    let made = '';
    while (made.length < length) {
      const list = random() < 0.02 ? FOREIGN : WORDS;
      made += `${list[between(0, list.length - 1)]}${random() < 0.1 ? '\n    ' : ' '}`;
    }
    return made.slice(0, length);
  };
  const pieces = (whole: string): string[] => {
    const made: string[] = [];
    for (let at = 0; at < whole.length; at += made.at(-1)?.length ?? 1) made.push(whole.slice(at, at + between(8, 60)));
    return made;
  };
  let ids = 0;
  let lines: string[] = [];
  const put = (frame: object): void => void lines.push(JSON.stringify({ ...frame, session_id: SESSION, uuid: SESSION }));

  const answer = (isLast: boolean): void => {
    const id = `msg_${String((ids += 1)).padStart(24, '0')}`;
    const callId = `toolu_${String(ids).padStart(24, '0')}`;
    // In the order in which claude writes the fields.
    const event = (body: object): void =>
      void lines.push(
        JSON.stringify({
          type: 'stream_event',
          event: body,
          session_id: SESSION,
          parent_tool_use_id: null,
          uuid: SESSION,
          api_message_id: id,
        }),
      );
    const block = (index: number, start: object, deltas: readonly object[], whole: object): void => {
      event({ type: 'content_block_start', index, content_block: start });
      for (const delta of deltas) event({ type: 'content_block_delta', index, delta });
      const message = {
        id,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [whole],
        stop_reason: null,
        usage: USAGE,
      };
      put({ type: 'assistant', message, parent_tool_use_id: null });
      event({ type: 'content_block_stop', index });
    };
    put({ type: 'system', subtype: 'status', status: 'requesting' });
    event({
      type: 'message_start',
      message: { id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [], usage: USAGE },
    });
    const said = text(between(100, 2000));
    block(
      0,
      { type: 'text', text: '' },
      pieces(said).map((piece) => ({ type: 'text_delta', text: piece })),
      { type: 'text', text: said },
    );
    if (!isLast) {
      const input = { command: text(between(20, 1200)), description: 'a command' };
      const call = { type: 'tool_use', id: callId, name: 'Bash', input };
      const deltas = pieces(JSON.stringify(input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
      block(1, { ...call, input: {} }, deltas, call);
    }
    event({ type: 'message_delta', delta: { stop_reason: isLast ? 'end_turn' : 'tool_use', stop_sequence: null }, usage: USAGE });
    event({ type: 'message_stop' });
    if (!isLast) returned(callId);
  };
  const returned = (callId: string): void => {
    const isScreenshot = random() < 0.03;
    const output = text(between(50, 6000));
    const data = isScreenshot ? 'iVBORw0KGgo'.repeat(between(6000, 25_000)) : '';
    const content = isScreenshot ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] : output;
    const message = { role: 'user', content: [{ tool_use_id: callId, type: 'tool_result', content, is_error: false }] };
    put({ type: 'user', message, parent_tool_use_id: null, ...(isScreenshot ? {} : { tool_use_result: { stdout: output, stderr: '' } }) });
  };

  const descriptor = openSync(file, 'w');
  for (let written = 0; written < sizeBytes; lines = []) {
    put({ type: 'system', subtype: 'init', model: 'claude-opus-5-5', permissionMode: 'default', tools: ['Bash'], mcp_servers: [] });
    for (let left = between(2, 15); left > 0; left -= 1) answer(left === 1);
    put({ type: 'result', subtype: 'success', is_error: false, terminal_reason: 'completed', result: 'Done.', usage: USAGE });
    written += writeSync(descriptor, `${lines.join('\n')}\n`);
  }
  closeSync(descriptor);
};

/** Numbers from 0 to 1 that are the same each time (mulberry32). */
const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
