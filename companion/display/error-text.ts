/** An error in the language of a front end. */
import { ERRORS, type ErrorBody, type ErrorCode } from '#protocol/errors.ts';
import { errorWords } from './error-words.ts';
import { chineseOf } from './forms.ts';
import { detailWords, remedyWords } from './remedy-words.ts';
import { isChinese, type SayWord } from './words.ts';

const remedyIn = chineseOf(remedyWords);
const detailIn = chineseOf(detailWords);

/** `detail` is what came beside the words of the code (a path, the words of a provider); empty where the message contains it. */
export const errorText = (error: ErrorBody, say: SayWord): { message: string; remedy: string; detail: string } => {
  if (!isChinese(say)) return { message: error.message, remedy: error.remedy, detail: '' };
  const english = ERRORS[error.code];
  const [usualMessage, usualRemedy] = errorWords[error.code];
  const isUsual = error.remedy === english.remedy;
  const remedy = isUsual ? usualRemedy : remedyIn(error.remedy);
  const isAbout = error.message.startsWith(english.message);
  const message = isAbout ? usualMessage : detailIn(error.message);
  const besides = isAbout ? error.message.slice(english.message.length).trim() : message === null ? error.message : '';
  return {
    message: message ?? usualMessage,
    remedy: remedy ?? usualRemedy,
    detail: [detailIn(besides) ?? besides, ...(remedy === null ? [error.remedy] : [])].join('\n').trim(),
  };
};

/** What failed, in the words of its code alone. */
export const errorTitle = (code: ErrorCode, say: SayWord): string => (isChinese(say) ? errorWords[code][0] : ERRORS[code].message);

/** The same for a place of its own: what failed, what to do, and folded away what came beside the words of the code. */
export const errorParts = (error: ErrorBody, say: SayWord): { title: string; sentence: string; detail: string } => {
  if (isChinese(say)) {
    const { message, remedy, detail } = errorText(error, say);
    return { title: message, sentence: remedy, detail };
  }
  const { message } = ERRORS[error.code];
  const isOurs = error.message.startsWith(message);
  return { title: message, sentence: error.remedy, detail: isOurs ? error.message.slice(message.length).trim() : error.message };
};
