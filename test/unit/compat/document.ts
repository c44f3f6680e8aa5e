/** The document of a session made whole, without patches: what every reader must have come to in the end. */
import { emptyEntry, toEntries } from '#companion/compat/entries.ts';
import { placesOf } from '#protocol/places.ts';
import type { SessionView } from '#protocol/view.ts';

export interface SessionDocument {
  readonly entries: readonly unknown[];
  readonly status: string;
}

export const toDocument = (view: SessionView): SessionDocument => {
  const { places, end } = placesOf(view);
  const entries = Array.from({ length: end }, (_, place) => emptyEntry(view, place));
  for (const [index, item] of view.items.entries()) {
    for (const [offset, entry] of toEntries(view, item).entries()) entries[(places[index] ?? 0) + offset] = entry;
  }
  return { entries: JSON.parse(JSON.stringify(entries)) as unknown[], status: view.status };
};
