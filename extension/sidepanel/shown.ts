/** What the views draw beside the state itself: worked out when it is read, and again only when something that it is made of has changed. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { countWanting, type Seen } from '#display/attention.ts';
import { SessionId } from '#protocol/ids.ts';
import { emptyView } from '#protocol/view.ts';
import { toEntries, type Entry } from './entries.ts';
import { inParts } from './followed.ts';
import type { Unsent } from './outbox.ts';
import { select, type Selected } from './selected.ts';
import type { PanelState } from './state.ts';
import { statusOf, type Status } from './status.ts';

export class Shown {
  /** Its properties are followed apart, as those of the state. */
  readonly selected: Selected;
  readonly #status: ReadonlySignal<Status>;
  readonly #outbox: ReadonlySignal<readonly Unsent[]>;
  readonly #entries: ReadonlySignal<readonly Entry[]>;
  readonly #seen: ReadonlySignal<Seen>;
  readonly #wanting: ReadonlySignal<number>;

  constructor(state: PanelState) {
    this.selected = inParts(computed(() => select(state)));
    this.#status = computed(() => statusOf(state));
    this.#outbox = computed(() => state.outbox.filter((unsent) => unsent.sessionId === state.sessionId));
    this.#entries = computed(() => toEntries(state.conversation?.view ?? nowhere, this.#outbox.value));
    this.#seen = computed(() => withOnScreen(state));
    this.#wanting = computed(() => countWanting(state.sessions ?? [], this.#seen.value, state.sessionId));
  }

  /** How the panel is connected. */
  get status(): Status {
    return this.#status.value;
  }

  /** The prompts of the session on screen that wait here to be sent. */
  get outbox(): readonly Unsent[] {
    return this.#outbox.value;
  }

  /** The conversation on screen. */
  get entries(): readonly Entry[] {
    return this.#entries.value;
  }

  /** When the person last looked at each session; at the one on screen they look now. */
  get seen(): Seen {
    return this.#seen.value;
  }

  /** How many of the other sessions want the person. */
  get wanting(): number {
    return this.#wanting.value;
  }
}

const nowhere = emptyView(SessionId.parse('new'));

const withOnScreen = ({ seen, sessionId }: PanelState): Seen =>
  sessionId === null ? seen : { ...seen, [sessionId]: Number.POSITIVE_INFINITY };
