/** What a person unfolded in a conversation: an entry that is far from what is in sight is taken off the page, and is as they left it when they come back. */
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { WentBack } from '#protocol/work.ts';

/** A comment that is being written on a line. */
export interface LineDraft {
  readonly line: number;
  readonly text: string;
}

/** What became of a file that was brought back, and what takes that back again. */
export interface Reverted {
  readonly told: 'revert_nothing' | 'revert_left' | 'reverted' | 'reverted_to_commit';
  readonly gone: WentBack | null;
}

interface Kinds {
  readonly open: boolean;
  readonly comment: LineDraft | null;
  readonly reverted: Reverted | null;
}

/** Of one session, for as long as the panel is open. */
export type Kept = { readonly [Kind in keyof Kinds]: Map<string, Kinds[Kind]> };

export const newKept = (): Kept => ({ open: new Map(), comment: new Map(), reverted: new Map() });

/** Null where nothing is taken off the page. */
export const KeptContext = createContext<Kept | null>(null);

/** The part of the conversation in which a view stands, by its item. */
export const PlaceContext = createContext('');

/** State of a part of the conversation; `name` tells it from others of the same part. */
export const useKept = <Kind extends keyof Kinds>(
  kind: Kind,
  name: string,
  start: Kinds[Kind],
): readonly [value: Kinds[Kind], set: (value: Kinds[Kind]) => void] => {
  const kept = useContext(KeptContext)?.[kind];
  const key = `${useContext(PlaceContext)} ${name}`;
  const [value, setValue] = useState(kept?.get(key));
  return [
    value ?? start,
    (next) => {
      kept?.set(key, next);
      setValue(() => next);
    },
  ];
};
