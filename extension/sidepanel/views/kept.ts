/** What a person unfolded and wrote in a session: an entry far from what is in sight, and a session that is not shown, are as they left them when they come back. */
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import type { ItemId } from '#protocol/ids.ts';
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

/** What is chosen and written for a question. */
export interface Reply {
  readonly chosen: readonly string[];
  readonly written: string;
}

interface Kinds {
  readonly open: boolean;
  readonly comment: LineDraft | null;
  readonly reverted: Reverted | null;
  readonly words: string;
  /** By the question. */
  readonly replies: ReadonlyMap<string, Reply>;
}

/** Of one session, for as long as the panel is open. */
export type Kept = { readonly [Kind in keyof Kinds]: Map<string, Kinds[Kind]> };

export const newKept = (): Kept => ({ open: new Map(), comment: new Map(), reverted: new Map(), words: new Map(), replies: new Map() });

/** Null where nothing is taken off the page. */
export const KeptContext = createContext<Kept | null>(null);

/** The part of the session in which a view stands: an item, or a request. */
export const PlaceContext = createContext('');

/** The item that was looked for last, by which it is found again where it is looked for again. */
export interface Sought {
  readonly itemId: ItemId;
}

/** What was looked for, where it is: in the conversation, and in each of its parts that holds it. */
export const SoughtContext = createContext<Sought | null>(null);

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

/** Whether a part of an entry is unfolded: by the person, or because what they looked for is in it. */
export const useUnfolded = (name: string, start: boolean): readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void] => {
  const sought = useContext(SoughtContext);
  const [isOpen, setOpen] = useKept('open', name, start);
  useLayoutEffect(() => {
    if (sought !== null) setOpen(true);
  }, [sought]);
  return [isOpen, setOpen];
};
