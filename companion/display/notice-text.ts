/** What Pilotfish says in a conversation, in the language of a front end. */
import { isErrorCode } from '#protocol/errors.ts';
import type { ItemBody } from '#protocol/items.ts';
import { errorWords } from './error-words.ts';
import { saidText } from './said.ts';
import { isChinese, type SayWord } from './words.ts';

type Notice = Extract<ItemBody, { kind: 'notice' }>;

/** A text that is not one of Pilotfish's own stays as it is, and so does one whose values do not fill its sentence. */
export const noticeText = ({ text, saying, code }: Pick<Notice, 'text' | 'saying' | 'code'>, say: SayWord): string => {
  if (saying !== undefined) return saidText({ ...saying, text }, say);
  return isChinese(say) && isErrorCode(code) ? errorWords[code].join('') : text;
};
