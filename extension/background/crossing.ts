/** What calls have brought to the browser's machine, given to a companion that is on another one: it reads a file in parts, and compares. */
import { crossingLimits, type FileTaken } from '#protocol/crossing.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { LinkMethods, UpFrame } from '#protocol/link.ts';
import { bytesToBase64 } from '#extension/shared/base64.ts';
import { sha256Of } from '#extension/shared/sha256.ts';

/** The path on the companion's machine, or why there is none. */
export type Crossed = Pick<FileTaken, 'path' | 'problem'>;

interface Offered {
  readonly bytes: Uint8Array;
  end(crossed: Crossed): void;
}

export class Crossing {
  readonly #send: (frame: UpFrame) => void;
  readonly #offered = new Map<string, Offered>();
  #takesFiles = false;

  constructor(send: (frame: UpFrame) => void) {
    this.#send = send;
  }

  /** Whether the companion is on another machine, and wants the files. */
  get isWanted(): boolean {
    return this.#takesFiles;
  }

  /** A connection begins. */
  begin(takesFiles: boolean): void {
    this.end();
    this.#takesFiles = takesFiles;
  }

  /** The connection has ended: who would read the rest is gone. */
  end(): void {
    this.#takesFiles = false;
    for (const { end } of this.#offered.values()) end({ path: null, problem: 'The connection ended meanwhile.' });
    this.#offered.clear();
  }

  /** Resolves when the companion has it, or does not want it; never rejects. */
  async offer(sessionId: SessionId, name: string, content: Blob): Promise<Crossed> {
    const { fileBytes } = crossingLimits;
    if (content.size > fileBytes) return { path: null, problem: `It is larger than ${fileBytes / 2 ** 20} MiB.` };
    const bytes = new Uint8Array(await content.arrayBuffer());
    const sha256 = await sha256Of(bytes);
    if (!this.#takesFiles) return { path: null, problem: 'The connection ended meanwhile.' };
    const fileId = crypto.randomUUID();
    const { promise, resolve } = Promise.withResolvers<Crossed>();
    this.#offered.set(fileId, { bytes, end: resolve });
    this.#send({ type: 'file_offered', fileId, sessionId, name: name.slice(-200), sizeBytes: bytes.length, sha256 });
    return promise;
  }

  read({ fileId, offset }: LinkMethods['pilotfish/read_file']['params']): LinkMethods['pilotfish/read_file']['result'] {
    const offered = this.#offered.get(fileId);
    if (offered === undefined) throw new CompanionError('TOOL_FAILED', 'The browser does not offer this file any more.');
    return { dataBase64: bytesToBase64(offered.bytes.subarray(offset, offset + crossingLimits.partBytes)) };
  }

  taken({ fileId, path, problem }: FileTaken): Record<string, never> {
    this.#offered.get(fileId)?.end({ path, problem });
    this.#offered.delete(fileId);
    return {};
  }
}
