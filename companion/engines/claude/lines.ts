/** Which of claude's lines are worth reading: most of a long answer is pieces that come again whole. */

/**
 * The arguments of a call as they are typed and the signature of a thought: the first come with the finished call, the
 * second are of no use to us. They are a third of what claude writes, and parsing is what reading a line costs.
 * Anchored, and only in the form claude writes them: any other line is parsed and looked at.
 */
const UNREAD =
  /^\{"type":"stream_event","event":\{"type":"content_block_delta","index":\d+,"delta":\{"type":"(?:input_json|signature)_delta"/;

/** What a line says; undefined when it says nothing that is needed. Throws a SyntaxError when it is not JSON. */
export const readLine = (line: string): unknown => (UNREAD.test(line) ? undefined : JSON.parse(line));
