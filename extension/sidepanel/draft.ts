/** What is written and attached but not sent. */
import type { TurnId } from '#protocol/ids.ts';
import type { Attached } from './outbox.ts';

export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attached[];
  /** The turn whose prompt is said in other words: what is sent goes on from before it. */
  readonly insteadOf?: TurnId | undefined;
  /** What was being written when a sent prompt came into the composer: it stands there again once that is sent or given up. */
  readonly aside?: Written | undefined;
}

/** The words and the files of a draft. */
export type Written = Pick<Draft, 'text' | 'attachments'>;

export const noDraft: Draft = { text: '', attachments: [], insteadOf: undefined };

export const isEmptyDraft = ({ text, attachments }: Written): boolean => text.trim() === '' && attachments.length === 0;

/** One after the other, so that nothing is lost. */
export const joinDrafts = (drafts: readonly Written[]): Written => ({
  text: drafts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n'),
  attachments: drafts.flatMap(({ attachments }) => attachments),
});
