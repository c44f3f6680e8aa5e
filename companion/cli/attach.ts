import { turnEndText } from '#display/activity.ts';
import { withoutWaiting } from '#display/waiting.ts';
import { inLanguage, words } from '#display/words.ts';
import type { SessionDetail, SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { emptyView, project, type SessionView, type ViewItem } from '#protocol/view.ts';
import { attachElsewhere } from './attach-elsewhere.ts';
import { AnswerPrinter } from './answer-printer.ts';
import { isElsewhere, notElsewhere } from './elsewhere.ts';
import { exitCodeOfTurn } from './exit-code.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';
import { whileRead } from './reader.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish attach` */
export const attach: Subcommand = {
  name: 'attach',
  summary: 'open one session: in the terminal UI, or without a terminal as a stream of what is said and done',
  usage: [
    'SESSION [--plain] [--wait] [--json] | ssh://HOST|docker://NAME [--port PORT]',
    'SESSION  its id, the beginning of it, or its name',
    '--plain  the stream, also in a terminal; ctrl+c leaves it and stops nothing',
    '--wait   the stream until nothing runs any more; the exit code is that of the last turn',
    '--json   the stream as events, one JSON object a line',
    'ssh://HOST  the Pilotfish of another machine, for the browser of this one: a tunnel, and the pairing',
    'docker://NAME, podman://NAME  the Pilotfish in a container of this machine, likewise',
    '--port PORT  where the tunnel begins here; by default the port that it has there, when it is free',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      { plain: { type: 'boolean' }, wait: { type: 'boolean' }, json: { type: 'boolean' }, port: { type: 'string' } },
      { needs: 'SESSION', most: 1 },
    );
    const [wanted = ''] = positionals;
    const isStream = values.plain === true || values.wait === true || values.json === true;
    if (isElsewhere(wanted)) {
      if (isStream) throw new CompanionError('CLI_USAGE', '"--plain", "--wait" and "--json" belong to a session.');
      return attachElsewhere(io, wanted, { port: values.port });
    }
    if (values.port !== undefined) throw new CompanionError('CLI_USAGE', '"--port" belongs to "attach ssh://HOST".');
    await io.client.connect({ start: true, signal: io.signal });
    const sessions = await io.client.sessions.list();
    // A session may be called like an address.
    if (wanted.includes('://') && !sessions.some(({ name }) => name === wanted)) throw notElsewhere(wanted);
    const session = findSession(sessions, wanted);
    if (io.openTerminalUi !== null && !isStream) return io.openTerminalUi(session.id);
    return new Attached(io, session, { isWaiting: values.wait === true, isJson: values.json === true }).follow();
  },
};

const say = inLanguage(words, 'en-GB');

/** A session that is followed: its last turn as far as it has come, and then what happens. */
class Attached {
  readonly #io: Io;
  readonly #session: SessionSummary;
  readonly #isWaiting: boolean;
  readonly #isJson: boolean;
  readonly #printer: AnswerPrinter;
  readonly #left = new AbortController();
  #view: SessionView;
  /** The exit code, once the session was idle; null before. */
  #code: number | null = null;

  constructor(io: Io, session: SessionSummary, { isWaiting, isJson }: { isWaiting: boolean; isJson: boolean }) {
    this.#io = io;
    this.#session = session;
    this.#isWaiting = isWaiting;
    this.#isJson = isJson;
    this.#printer = new AnswerPrinter(io);
    this.#view = emptyView(session.id);
  }

  async follow(): Promise<number> {
    const { client, signal, stdout } = this.#io;
    const detail = await client.sessions.read(this.#session.id);
    this.#view = { ...detail, gone: [] };
    if (!this.#isJson) this.#printBeginning(detail);
    this.#leaveWhenIdle();
    if (!this.#left.signal.aborted) {
      const until = AbortSignal.any([whileRead(stdout, signal), this.#left.signal]);
      await client.streamSession(
        this.#session.id,
        `${detail.epoch}-${detail.seq}`,
        (event) => {
          if (event.type === 'resync') this.#view = emptyView(this.#session.id);
          else if (!until.aborted) this.#take(event);
        },
        until,
      );
    }
    this.#printer.endLine();
    return this.#code ?? 0;
  }

  #printBeginning({ turns, items, requests }: SessionDetail): void {
    const last = turns.findLast(({ status }) => status !== 'queued');
    this.#io.note(`Session ${this.#session.id}`);
    for (const item of items.filter(({ turnId }) => turnId === last?.turnId)) this.#print(item, 'item.started');
    for (const { request } of requests) this.#tellRequest(request.title);
  }

  #take(event: SessionEvent): void {
    const before = this.#view;
    this.#view = project(before, event);
    if (this.#view === before) return;
    if (this.#isJson) this.#io.json(event, true);
    else this.#show(event);
    if (event.type === 'turn.completed') this.#leaveWhenIdle();
  }

  #show(event: SessionEvent): void {
    if (event.type === 'request.opened') this.#tellRequest(event.request.title);
    if (event.type === 'request.resolved') this.#printer.note('? answered');
    if (event.type === 'turn.completed') {
      const turn = this.#view.turns.find(({ turnId }) => turnId === event.turnId);
      const text = turn === undefined ? null : turnEndText(say, withoutWaiting(turn, this.#view));
      if (text !== null) this.#printer.note(`── ${text}`);
      if (event.error !== undefined) this.#printer.note(`${event.error.message}\n${event.error.remedy}`);
    }
    if (!('itemId' in event) || event.itemId === undefined) return;
    const item = this.#view.items.findLast(({ itemId }) => itemId === event.itemId);
    if (item !== undefined) this.#print(item, event.type);
  }

  #print(item: ViewItem, eventType: SessionEvent['type']): void {
    if (item.body.kind === 'message' && item.body.role === 'user') {
      if (eventType === 'item.started') this.#printer.note(`> ${item.body.text}`);
      return;
    }
    this.#printer.print(item, eventType);
  }

  #tellRequest(title: string): void {
    this.#printer.note(`? ${title}\n  Answer with \`pilotfish approve ${this.#session.id}\`, in the panel or in the terminal UI.`);
  }

  #leaveWhenIdle(): void {
    if (!this.#isWaiting || this.#view.status !== 'idle' || this.#view.turns.some(({ status }) => status === 'queued')) return;
    const last = this.#view.turns.at(-1);
    this.#code = last === undefined ? 0 : exitCodeOfEnd(last);
    this.#left.abort();
  }
}

const exitCodeOfEnd = ({ status, error }: SessionView['turns'][number]): number => {
  if (status === 'queued' || status === 'running' || status === 'cancelling')
    throw new CompanionError('INTERNAL', 'The turn has not ended.');
  return exitCodeOfTurn(status, error?.code);
};
