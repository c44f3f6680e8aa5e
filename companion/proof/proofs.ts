/**
 * From a point in a page to the proof: the elements that the person picked for a prompt are looked at again when its turn is over, and what
 * became of them is noted in the turn. Until then they are kept here only: a daemon that ends takes them along.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { PickedInput } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { BrowserId, SessionId, TurnId } from '#protocol/ids.ts';
import type { ItemBody } from '#protocol/items.ts';
import { type LookedAgain, MAX_PICKED } from '#protocol/link.ts';
import { isLoopback } from '#protocol/loopback.ts';
import type { SessionView, ViewTurn } from '#protocol/view.ts';
import { explain } from '#protocol/faults.ts';
import type { Bridge } from '#companion/browser/bridge.ts';
import { isInside } from '#companion/lib/inside.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';

/** The browser gives up earlier. */
const LOOK_MS = 30_000;

/** Prompts wait for the turns before them, and each keeps pictures in memory. */
const MAX_KEPT = 20;

type Picked = PickedInput['elements'][number];

interface Kept {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly browserId: BrowserId;
  readonly elements: readonly Picked[];
}

/** What is to be kept; only the panel of a browser knows of pages, and all others are nobody's browser. */
type Given = Omit<Kept, 'browserId'> & { readonly browserId: BrowserId | null };

interface Options {
  readonly sessions: Pick<Sessions, 'view' | 'summary' | 'folderOf' | 'subscribeList' | 'noteProof'>;
  readonly bridge: Pick<Bridge, 'lookAgain'>;
  readonly log: Log;
}

export class Proofs {
  readonly #options: Options;
  readonly #kept = new Map<TurnId, Kept>();
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(options: Options) {
    this.#options = options;
    this.#unsubscribe = options.sessions.subscribeList(() => this.#check());
  }

  /** Keeps what was picked for a turn until that is over. What was said into a running turn belongs to it. */
  keep({ sessionId, turnId: id, browserId, elements }: Given): void {
    const { turnId } = turnOf(this.#options.sessions.view(sessionId), id);
    if (browserId === null) throw new CompanionError('FORBIDDEN', explain('panel_only'));
    for (const { url } of elements) {
      const parsed = URL.parse(url);
      if (parsed === null || !isLoopback(parsed)) throw new CompanionError('INPUT_INVALID', `url: "${url}" is no page of this machine.`);
    }
    const before = this.#kept.get(turnId);
    this.#kept.set(turnId, { sessionId, turnId, browserId, elements: [...(before?.elements ?? []), ...elements].slice(-MAX_PICKED) });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#check();
  }

  close(): void {
    this.#unsubscribe();
    this.#closing.abort();
    this.#kept.clear();
  }

  #check(): void {
    for (const kept of this.#kept.values()) {
      const view = this.#viewOf(kept.sessionId);
      const turn = view?.turns.find(({ turnId }) => turnId === kept.turnId);
      if (view !== null && turn !== undefined && !isOver(turn)) continue;
      this.#kept.delete(kept.turnId);
      if (view !== null && turn !== undefined) void this.#prove(kept, view);
    }
  }

  /** Null when the session was deleted. */
  #viewOf(sessionId: SessionId): SessionView | null {
    try {
      return this.#options.sessions.view(sessionId);
    } catch {
      return null;
    }
  }

  async #prove({ sessionId, turnId, browserId, elements }: Kept, view: SessionView): Promise<void> {
    const { bridge, sessions, log } = this.#options;
    const work = await workOf(view, turnId, sessions.folderOf(sessions.summary(sessionId)));
    if (work === 'none') return;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(LOOK_MS)]);
    for (const page of Map.groupBy(elements, toDocumentKey).values()) {
      const [first] = page;
      if (first === undefined) continue;
      const { tabId, documentId, url, frame } = first;
      try {
        const params = { tabId, documentId, url, ...(frame === undefined ? {} : { frame }), elements: page.map(({ mark }) => mark) };
        const seen = await bridge.lookAgain(browserId, params, signal);
        if (isWorthTelling(seen, work)) sessions.noteProof(sessionId, turnId, toProof(url, page, seen));
      } catch (error) {
        // The page was left or the browser has gone: then there is nothing to see.
        log.info('proof.not_taken', { sessionId, turnId, error: String(error) });
      }
    }
  }
}

const toDocumentKey = ({ tabId, documentId, url, frame }: Picked): string => [tabId, documentId, url, frame?.documentId ?? ''].join(' ');

const turnOf = ({ turns, items }: SessionView, id: TurnId): ViewTurn => {
  const said = items.find(({ itemId }) => String(itemId) === id);
  const turn = turns.find(({ turnId }) => turnId === (said?.turnId ?? id));
  if (turn === undefined) throw new CompanionError('TURN_NOT_FOUND', id);
  return turn;
};

const isOver = ({ status }: ViewTurn): boolean => status !== 'queued' && status !== 'running' && status !== 'cancelling';

/** Whether files below a folder were changed in a turn, or something was done that may have changed some. */
const workOf = async ({ items }: SessionView, turnId: TurnId, root: string): Promise<'edits' | 'commands' | 'none'> => {
  const bodies = items.filter((item) => item.turnId === turnId && item.status === 'completed').map(({ body }) => body);
  const changes = bodies.flatMap((body) => (body.kind === 'tool' ? (body.changes ?? []) : []));
  const files = new Set(changes.flatMap(({ path: file, movedTo = file }) => [file, movedTo]));
  const areBelow = await Promise.all([...files].map((file) => isBelow(root, file)));
  return areBelow.includes(true) ? 'edits' : bodies.some(mayHaveChanged) ? 'commands' : 'none';
};

/** A file may be spelled through a link, and be gone. */
const isBelow = async (root: string, file: string): Promise<boolean> => {
  const spelled = path.resolve(root, file);
  return isInside(root, spelled) || isInside(root, await realpath(spelled).catch(() => spelled));
};

/** A command does not tell which files it changes, and not every agent does of an edit. */
const mayHaveChanged = (body: ItemBody): boolean =>
  body.kind === 'tool' &&
  (body.toolKind === 'execute' || body.toolKind === 'task' || (body.toolKind === 'edit' && (body.changes ?? []).length === 0));

/** That nothing is different is news only after an edit. */
const isWorthTelling = ({ outcome, buildError }: LookedAgain, work: 'edits' | 'commands'): boolean =>
  work === 'edits' || outcome !== 'unchanged' || buildError !== undefined;

const toProof = (url: string, page: readonly Picked[], { outcome, buildError, elements }: LookedAgain) => ({
  url,
  outcome,
  ...(buildError === undefined ? {} : { buildError }),
  pairs: page.map(({ element, before }, index) => ({
    element,
    isThere: elements[index]?.isThere ?? false,
    before,
    after: elements[index]?.picture,
  })),
});
