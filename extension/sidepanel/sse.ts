/** Server-sent events by the rules of the HTML standard, from bytes cut anywhere. EventSource itself takes no Authorization header. */

export interface ServerEvent {
  /** `message` when the server names none. */
  readonly name: string;
  readonly data: string;
  /** The last id seen so far: what a reconnect sends as Last-Event-ID. */
  readonly lastEventId: string;
}

export interface SseParser {
  push(bytes: Uint8Array): void;
}

/** Longest event we buffer; a server of ours never comes near it. */
const MAX_EVENT_UNITS = 64 * 1024 * 1024;

/** Calls `onEvent` for each whole event; what is cut off at the end of a stream is dropped, as the standard says. */
export const createSseParser = (onEvent: (event: ServerEvent) => void, startId = ''): SseParser => {
  const decoder = new TextDecoder();
  // Unfinished line, as pieces: joining only at its end keeps a long line linear.
  let pieces: string[] = [];
  let pieceUnits = 0;
  let endedWithCr = false;
  let name = '';
  let data: string[] = [];
  let lastEventId = startId;

  const takeField = (field: string, value: string): void => {
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) lastEventId = value;
  };

  const takeLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onEvent({ name: name === '' ? 'message' : name, data: data.join('\n'), lastEventId });
      name = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    if (colon < 0) takeField(line, '');
    else takeField(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1));
  };

  const endLine = (tail: string): void => {
    const line = pieces.length === 0 ? tail : pieces.join('') + tail;
    pieces = [];
    pieceUnits = 0;
    takeLine(line);
  };

  return {
    push(bytes) {
      let text = decoder.decode(bytes, { stream: true });
      if (text === '') return;
      if (endedWithCr && text.startsWith('\n')) text = text.slice(1);
      endedWithCr = text === '' ? false : text.endsWith('\r');
      let from = 0;
      for (const match of text.matchAll(/\r\n|\r|\n/g)) {
        endLine(text.slice(from, match.index));
        from = match.index + match[0].length;
      }
      if (from === text.length) return;
      pieces.push(text.slice(from));
      pieceUnits += text.length - from;
      if (pieceUnits > MAX_EVENT_UNITS) throw new Error('an event of the stream is too large');
    },
  };
};
