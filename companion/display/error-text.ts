/** An error in the language of a front end. */
import { ERRORS, type ErrorBody } from '#protocol/errors.ts';
import { errorWords } from './error-words.ts';
import { isChinese, type SayWord } from './words.ts';

/** `detail` is what came beside the words of the code (a path, the words of a provider); empty where the message contains it. */
export const errorText = (error: ErrorBody, say: SayWord): { message: string; remedy: string; detail: string } => {
  if (!isChinese(say)) return { message: error.message, remedy: error.remedy, detail: '' };
  const english = ERRORS[error.code];
  const [message, remedy] = errorWords[error.code];
  const besides = error.message.startsWith(english.message) ? error.message.slice(english.message.length).trim() : error.message;
  return { message, remedy, detail: [besides, ...(error.remedy === english.remedy ? [] : [error.remedy])].join('\n').trim() };
};
