/** A failure as a message for the person, in the language of the terminal. */
import { errorText } from '#display/error-text.ts';
import { toErrorBody } from '#protocol/errors.ts';
import { say } from './say.ts';
import type { Notice } from './state.ts';

export const errorNotice = (error: unknown): Notice => {
  const { message, remedy, detail } = errorText(toErrorBody(error), say);
  return { level: 'error', text: detail === '' ? message : `${message} ${detail}`, remedy };
};
