/** What is written and attached but not sent. */
import type { Attached } from './outbox.ts';

export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attached[];
}

export const noDraft: Draft = { text: '', attachments: [] };

export const isEmptyDraft = ({ text, attachments }: Draft): boolean => text.trim() === '' && attachments.length === 0;

/** One after the other, so that nothing is lost. */
export const joinDrafts = (drafts: readonly Draft[]): Draft => ({
  text: drafts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n'),
  attachments: drafts.flatMap(({ attachments }) => attachments),
});
