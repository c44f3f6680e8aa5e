/** Server-sent events from bytes cut anywhere. */
export interface SseEvent {
  /** `message` when the server named none. */
  readonly name: string;
  readonly data: string;
  /** The last id so far: what resumes the stream. */
  readonly id: string | null;
}

const NEWLINE = 0x0a;

/** Takes chunks in order and calls `onEvent` for each whole event; the server ends lines with LF only. */
export const createSseParser = (onEvent: (event: SseEvent) => void): ((chunk: Uint8Array) => void) => {
  let rest: Uint8Array[] = [];
  let id: string | null = null;
  let name = 'message';
  let data: string[] = [];

  const takeLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onEvent({ name, data: data.join('\n'), id });
      name = 'message';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    else if (field === 'id') id = value;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      rest.push(chunk.subarray(start, end));
      takeLine(Buffer.concat(rest).toString());
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  };
};
