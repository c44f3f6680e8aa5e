/** A session as a JSON document that grows by RFC 6902 patches: `{entries: Entry[], status}`. Pure. */
import jsonPatch, { type Operation } from 'fast-json-patch';
import { placesOf } from '#protocol/places.ts';
import { emptyView, type SessionView, type ViewItem } from '#protocol/view.ts';
import type { SessionId } from '#protocol/ids.ts';
import { emptyEntry, toEntries, type Entry } from './entries.ts';
import { GROWTH } from './realtime.ts';

/** Follows a session from one view to the next. */
export class Patcher {
  /** As far as the document has them. */
  #items: (ViewItem | undefined)[] = [];
  #places: number[] = [];
  #entries: Entry[] = [];
  #gone: SessionView['gone'];
  #status: SessionView['status'];

  /** `from` is the view whose document the reader has. */
  constructor(from: SessionView) {
    this.#status = from.status;
    this.#gone = from.gone;
    this.#align(from);
    this.#changeItems(from);
  }

  /** Patches from the document of the view before to that of `view`. */
  patchTo(view: SessionView): Operation[] {
    const patch = view.gone === this.#gone ? [] : this.#align(view);
    patch.push(...this.#changeItems(view));
    if (view.status !== this.#status) {
      this.#status = view.status;
      patch.push({ op: 'replace', path: '/status', value: view.status });
    }
    return patch;
  }

  /** Finds the places of all items anew, which is needed only when some were taken back or the session was emptied. */
  #align(view: SessionView): Operation[] {
    const { places, end } = placesOf(view);
    const before = new Map(this.#places.map((place, index) => [place, this.#items[index]]));
    const isEmptied = end < this.#entries.length;
    if (isEmptied) this.#entries = [];
    this.#gone = view.gone;
    this.#places = places;
    this.#items = isEmptied ? [] : places.map((place) => before.get(place));
    const patch: Operation[] = isEmptied ? [{ op: 'replace', path: '/entries', value: [] }] : [];
    // A list can only be added to at its end, so the items before a gap come first.
    for (const { from, to } of view.gone) {
      patch.push(...this.#changeItems(view, from));
      for (let place = from; place < to; place += 1) patch.push(...this.#setEntry(place, emptyEntry(view, place)));
    }
    return patch;
  }

  /** Brings the entries of those items up to date that stand before the place `end`. */
  #changeItems(view: SessionView, end = Number.POSITIVE_INFINITY): Operation[] {
    const patch: Operation[] = [];
    for (const [index, item] of view.items.entries()) {
      if (this.#items[index] === item) continue;
      const place = (this.#places[index] ??= this.#entries.length);
      if (place >= end) break;
      const entries = toEntries(view, item);
      const isWaiting = entries.map((entry, offset) => this.#isSmallGrowth(place + offset, entry)).includes(true);
      if (isWaiting) continue;
      for (const [offset, entry] of entries.entries()) patch.push(...this.#setEntry(place + offset, entry));
      this.#items[index] = item;
    }
    return patch;
  }

  #isSmallGrowth(place: number, after: Entry): boolean {
    const before = this.#entries[place];
    if (before === undefined || after.isStreaming !== true || before.content.length === after.content.length) return false;
    const others = jsonPatch.compare(before, after).filter(({ path }) => !TEXTS.has(path));
    return others.length === 0 && after.content.length >= before.content.length && after.content.length < before.content.length * GROWTH;
  }

  #setEntry(place: number, entry: Entry): Operation[] {
    const before = this.#entries[place];
    this.#entries[place] = entry;
    if (before === undefined) return [{ op: 'add', path: `/entries/${place}`, value: entry }];
    const changes = jsonPatch.compare(before, entry);
    // To add is to make a new entry, for existing clients: whatever changes in one is replaced.
    if (changes.some(({ op }) => op !== 'replace')) return [{ op: 'replace', path: `/entries/${place}`, value: entry }];
    return changes.map((operation) => ({ ...operation, path: `/entries/${place}${operation.path}` }));
  }
}

/** A result says what it gave by two names. */
const TEXTS = new Set(['/content', '/output']);

/** Patches that build the document of `view` from what every reader starts with: no entries, idle. */
export const fromNothing = (sessionId: SessionId, view: SessionView): Operation[] => new Patcher(emptyView(sessionId)).patchTo(view);

/**
 * Patches from the document of an earlier view. Items that were streaming then are sent whole, because the reader may have less
 * of them.
 */
export const fromEarlier = (earlier: SessionView, view: SessionView): Operation[] => {
  const wasStreaming = new Set(earlier.items.filter((item) => item.status === 'running').map(({ itemId }) => itemId));
  const { places } = placesOf(view);
  return [
    ...new Patcher(earlier).patchTo(view),
    ...view.items.flatMap((item, index): Operation[] => {
      if (!wasStreaming.has(item.itemId)) return [];
      return toEntries(view, item).map((value, offset) => ({ op: 'replace', path: `/entries/${(places[index] ?? 0) + offset}`, value }));
    }),
  ];
};
