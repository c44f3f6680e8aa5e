/** An error in the language of a front end. */
import { ERRORS, type ErrorBody, type ErrorCode } from '#protocol/errors.ts';
import { errorWords } from './error-words.ts';
import { saidText } from './said.ts';
import { isChinese, type SayWord } from './words.ts';

/** `detail` is what came in foreign words (a path, those of a provider); empty where the message contains it. */
export const errorText = (error: ErrorBody, say: SayWord): { message: string; remedy: string; detail: string } => {
  const { message, remedy, says } = error;
  if (!isChinese(say)) return { message, remedy, detail: '' };
  const { title, sentence, detail } = errorParts(error, say);
  // A sentence of Pilotfish's goes on where the title ends.
  if (says?.detail === undefined) return { message: title, remedy: sentence, detail };
  return { message: title + besides(error, say), remedy: sentence, detail: foreignRemedy(error) };
};

/** What failed, in the words of its code alone. */
export const errorTitle = (code: ErrorCode, say: SayWord): string => (isChinese(say) ? errorWords[code][0] : ERRORS[code].message);

/** The same for a place of its own: what failed, what to do, and folded away what came beside the words of the code. */
export const errorParts = (error: ErrorBody, say: SayWord): { title: string; sentence: string; detail: string } => {
  const { code, remedy, says } = error;
  const title = says?.message === undefined ? errorTitle(code, say) : saidText(says.message, say);
  if (!isChinese(say)) return { title, sentence: remedy, detail: besides(error, say) };
  return {
    title,
    sentence: says?.remedy === undefined ? errorWords[code][1] : saidText(says.remedy, say),
    detail: [besides(error, say), foreignRemedy(error)].join('\n').trim(),
  };
};

/** What is told beside the words of the code. */
const besides = ({ code, message, says }: ErrorBody, say: SayWord): string => {
  if (says?.detail !== undefined) return saidText(says.detail, say);
  if (says?.message !== undefined) return '';
  const usual = ERRORS[code].message;
  return message.startsWith(usual) ? message.slice(usual.length).trim() : message;
};

/** A remedy that is neither the usual one nor said in a sentence of Pilotfish's is somebody else's, and is not lost. */
const foreignRemedy = ({ code, remedy, says }: ErrorBody): string =>
  says?.remedy === undefined && remedy !== ERRORS[code].remedy ? remedy : '';
