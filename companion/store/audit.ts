/**
 * The audit's file: one line of JSON for each entry, each with a hash over the line before it and itself. A second, small file
 * knows where the chain begins and ends. It shows what was changed afterwards; it does not hinder a program of the same user
 * that writes both files anew.
 */
import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import * as z from 'zod';
import { AuditEntry, type AuditRecord, type AuditReport, type CallPage, type CallQuery, toKept } from '#protocol/audit.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import type { Said } from '#protocol/said.ts';
import { KnownSecrets } from '#companion/lib/known-secrets.ts';
import type { Log } from '#companion/lib/log.ts';
import { parseJson } from './json.ts';
import { linesFromEnd } from './lines-from-end.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const TAIL_BYTES = 256 * 1024;
const MAX_TEXT_CHARS = 2_000;
const NO_HASH = '0'.repeat(64);
const HASH_START = '{"hash":"';
const REST_START = HASH_START.length + NO_HASH.length + 2;
const SEQ_NAME = '"seq":';

/** It is padded to a fixed length, so that it is overwritten in place. */
const HEAD_CHARS = 320;

/** A call that so many entries came after has not been under way when a daemon died. */
const MAX_LOOKED_AT = 1_000;

const Place = z.object({ seq: z.number(), hash: z.string() });
type Place = z.infer<typeof Place>;

/** `before` is the entry before the first that is kept, `last` the newest entry. */
const Head = z.object({ before: Place, last: Place });

const START: Place = { seq: 0, hash: NO_HASH };

export class Audit {
  readonly #file: string;
  readonly #log: Log;
  readonly #maxBytes: number;
  readonly #known: KnownSecrets;
  #fd: number | null = null;
  #headFd: number | null = null;
  #before = START;
  #last = START;
  #sizeBytes = 0;

  /** `known` is blotted out of what is added. */
  constructor(file: string, log: Log, { maxBytes = MAX_FILE_BYTES, known = new KnownSecrets() } = {}) {
    this.#file = file;
    this.#log = log;
    this.#maxBytes = maxBytes;
    this.#known = known;
    try {
      this.#open();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Never throws: an entry that cannot be written is reported in the log, and nothing else fails. */
  add(...records: readonly AuditRecord[]): void {
    try {
      this.#append(records);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The newest `count` entries before the one with the number `cursor`, in the order of time, and whether the whole audit is undamaged. */
  report(count: number, cursor?: number): AuditReport {
    this.#catchUp();
    const lines = [...linesOf(`${this.#file}.1`), ...linesOf(this.#file)];
    const end = cursor === undefined ? lines.length : lines.findLastIndex((line) => seqOf(line) < cursor) + 1;
    const begin = Math.max(0, end - count);
    const entries = lines.slice(begin, end).flatMap((line) => AuditEntry.safeParse(parseJson(line)).data ?? []);
    const [first] = entries;
    const fault = findFault(lines, this.#before, this.#last);
    return {
      entries,
      entryCount: lines.length,
      ...(fault === null ? { fault } : { fault: fault.text, says: fault }),
      ...(begin === 0 || first === undefined ? {} : { next: first.seq }),
    };
  }

  /** Entries about calls of browser tools. Whether the audit is undamaged is not looked at: it is asked for often, while somebody watches. */
  calls({ sessionId, last, cursor = Infinity, after }: CallQuery): CallPage {
    this.#catchUp();
    if (after !== undefined && after >= this.#last.seq) return { entries: [] };
    return after === undefined ? this.#callsBefore(cursor, { sessionId, last }) : { entries: this.#callsSince(after, { sessionId, last }) };
  }

  /** A daemon that died has left calls without an end. Nobody will tell of most of them any more, so that they do not stand as if they still ran. */
  endCutCalls(): void {
    this.add(...this.#openCalls().map(toCut));
  }

  close(): void {
    for (const fd of [this.#fd, this.#headFd]) if (fd !== null) closeSync(fd);
    this.#fd = null;
    this.#headFd = null;
  }

  /** The calls among the newest entries that were allowed and have not ended, in the order of time. */
  #openCalls(): AuditEntry[] {
    const ended = new Set<string>();
    const open: AuditEntry[] = [];
    let looked = 0;
    for (const line of this.#linesFromEnd()) {
      if ((looked += 1) > MAX_LOOKED_AT) break;
      const [, callId = ''] = /"callId":"([^"]+)"/.exec(line) ?? [];
      if (callId === '' || ended.has(callId)) continue;
      const entry = callIn(line, undefined);
      if (entry === null) continue;
      // Of one that was decided twice the newer decision counts.
      ended.add(callId);
      if (entry.kind === 'decision' && entry.says?.result?.code === 'allowed_by') open.push(entry);
    }
    return open.toReversed();
  }

  #callsBefore(cursor: number, { sessionId, last }: Pick<CallQuery, 'sessionId' | 'last'>): CallPage {
    const entries: AuditEntry[] = [];
    for (const line of this.#linesFromEnd()) {
      const entry = seqOf(line) < cursor ? callIn(line, sessionId) : null;
      if (entry === null) continue;
      const oldest = entries.at(-1);
      if (entries.length === last && oldest !== undefined) return { entries: entries.toReversed(), next: oldest.seq };
      entries.push(entry);
    }
    return { entries: entries.toReversed() };
  }

  /** The first `last` of them. */
  #callsSince(after: number, { sessionId, last }: Pick<CallQuery, 'sessionId' | 'last'>): AuditEntry[] {
    const since: string[] = [];
    for (const line of this.#linesFromEnd()) {
      if (seqOf(line) <= after) break;
      since.push(line);
    }
    const entries: AuditEntry[] = [];
    for (const line of since.toReversed()) {
      const entry = callIn(line, sessionId);
      if (entry !== null) entries.push(entry);
      if (entries.length === last) break;
    }
    return entries;
  }

  /** Mostly the newest are wanted, and the daemon does nothing else while it reads. */
  *#linesFromEnd(): Generator<string> {
    yield* linesFromEnd(this.#file);
    yield* linesFromEnd(`${this.#file}.1`);
  }

  #open(): void {
    const isNew = !existsSync(this.#file) && !existsSync(`${this.#file}.1`);
    const hasHead = existsSync(`${this.#file}.head`);
    this.#fd = openSync(this.#file, 'a+', 0o600);
    this.#headFd = openSync(`${this.#file}.head`, hasHead ? 'r+' : 'w+', 0o600);
    const tail = this.#readTail();
    const head = Head.safeParse(parseJson(readFileSync(`${this.#file}.head`, 'utf8').trim())).data;
    if (head !== undefined) {
      this.#before = head.before;
      this.#last = follow(head.last, tail);
      return;
    }
    if (isNew && !hasHead) return this.#writeHead();
    // Where the chain ends is not known any more. What is there is kept, with a note that it was found so.
    this.#last = placeOf(tail.at(-1) ?? '') ?? START;
    return this.#append([{ kind: 'damage', by: inAudit('who_pilotfish'), what: inAudit('about_audit'), result: inAudit('head_gone') }]);
  }

  /** A daemon that was suspended goes on beside the one that took its place: the chain goes on from what the other has added. */
  #catchUp(): void {
    if (this.#fd === null) return;
    try {
      const { ino, size } = fstatSync(this.#fd);
      if (size === this.#sizeBytes && statSync(this.#file, { throwIfNoEntry: false })?.ino === ino) return;
      this.close();
      this.#open();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The last whole lines; a line that a crash left unfinished is cut off. */
  #readTail(): string[] {
    if (this.#fd === null) return [];
    const { size } = fstatSync(this.#fd);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(this.#fd, bytes, 0, bytes.length, size - bytes.length);
    const end = bytes.lastIndexOf('\n') + 1;
    this.#sizeBytes = size - (bytes.length - end);
    if (end < bytes.length) ftruncateSync(this.#fd, this.#sizeBytes);
    const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    return size > TAIL_BYTES ? lines.slice(1) : lines;
  }

  /** Entries that are told together are written together. */
  #append(records: readonly AuditRecord[]): void {
    if (this.#fd === null || records.length === 0) return;
    this.#catchUp();
    let place = this.#last;
    const lines = records.map((record) => {
      const seq = place.seq + 1;
      const rest = JSON.stringify({ seq, at: new Date().toISOString(), ...this.#toKept(record) }).slice(1);
      place = { seq, hash: hashOf(place.hash, rest) };
      return `${HASH_START}${place.hash}",${rest}\n`;
    });
    const bytes = Buffer.from(lines.join(''));
    if (this.#sizeBytes > 0 && this.#sizeBytes + bytes.length > this.#maxBytes) this.#rotate();
    this.#write(this.#fd, bytes);
    this.#sizeBytes += bytes.length;
    this.#last = place;
    this.#writeHead();
  }

  /** Whole or not at all: a disk that fills up takes a part. */
  #write(fd: number, bytes: Buffer): void {
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    } catch (error) {
      ftruncateSync(fd, this.#sizeBytes);
      throw error;
    }
  }

  /** Addresses and rules may contain a page's text of any length, and errors repeat arguments. */
  #toKept(record: AuditRecord): ReturnType<typeof toKept> {
    return toKept(record, (text) => this.#known.redact(text).slice(0, MAX_TEXT_CHARS));
  }

  /** Removes the older half; the chain goes on. */
  #rotate(): void {
    const dropped = linesOf(`${this.#file}.1`);
    const end = placeOf(dropped.at(-1) ?? '');
    if (end !== null) this.#before = end;
    if (this.#fd !== null) closeSync(this.#fd);
    renameSync(this.#file, `${this.#file}.1`);
    this.#fd = openSync(this.#file, 'a+', 0o600);
    this.#sizeBytes = 0;
  }

  #writeHead(): void {
    if (this.#headFd === null) return;
    writeSync(this.#headFd, JSON.stringify({ before: this.#before, last: this.#last }).padEnd(HEAD_CHARS), 0);
  }

  #fail(error: unknown): void {
    this.#log.error('audit.failed', { error });
  }
}

/** After a crash between the two writes the second file lacks the newest entries; they are accepted when they continue its chain. */
const follow = (last: Place, tail: readonly string[]): Place => {
  let place = last;
  for (const line of tail) {
    const next = placeOf(line);
    if (next?.seq === place.seq + 1 && hashOf(place.hash, line.slice(REST_START)) === next.hash) place = next;
  }
  return place;
};

const findFault = (lines: readonly string[], before: Place, last: Place): Said | null => {
  let place = before;
  for (const line of lines) {
    const next = follower(place, line) ?? placeOf(line);
    if (next === null) return inAudit('no_entry', { seq: place.seq });
    if (next.seq !== place.seq + 1) return inAudit('entries_out_of_order', { seq: place.seq, next: next.seq });
    if (hashOf(place.hash, line.slice(REST_START)) !== next.hash) return inAudit('entry_changed', { seq: next.seq });
    if (line.includes('"kind":"damage"')) return inAudit('entry_of_damage', { seq: next.seq });
    place = next;
  }
  return place.seq === last.seq && place.hash === last.hash ? null : inAudit('ends_elsewhere', { seq: place.seq, last: last.seq });
};

/** The entry after `place`, if this is it: then it is as it was written, and is read from its places. */
const follower = (place: Place, line: string): Place | null => {
  const next = { seq: seqOf(line), hash: line.slice(HASH_START.length, HASH_START.length + NO_HASH.length) };
  return line.startsWith(HASH_START) && next.seq === place.seq + 1 && hashOf(place.hash, line.slice(REST_START)) === next.hash
    ? next
    : null;
};

const placeOf = (line: string): Place | null => Place.safeParse(parseJson(line)).data ?? null;

/** Read from its place in the line: of most lines nothing else is wanted. */
const seqOf = (line: string): number => Number.parseInt(line.slice(REST_START + SEQ_NAME.length), 10);

/** What a line tells of a call of this session, or of any; null when it tells of something else. */
const callIn = (line: string, sessionId: string | undefined): AuditEntry | null => {
  if (!/"kind":"(?:decision|outcome)"/.test(line)) return null;
  if (sessionId !== undefined && !line.includes(`"sessionId":${JSON.stringify(sessionId)}`)) return null;
  return AuditEntry.safeParse(parseJson(line)).data ?? null;
};

const toCut = ({ by, what, sessionId, callId, origin, toolClass, element, argsHash, says }: AuditEntry): AuditRecord => ({
  kind: 'outcome',
  by: says?.by ?? by,
  what,
  sessionId,
  callId,
  origin,
  toolClass,
  element,
  argsHash,
  result: inAudit('came_cut'),
});

const hashOf = (before: string, rest: string): string => hash('sha256', before + rest);

const linesOf = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
