/** What the daemon said when it refused, whatever the shape of the body. */
import * as z from 'zod';
import { CompanionError, ErrorBody, type ErrorCode } from '#protocol/errors.ts';

/** `{error, code, remedy}`: the message goes by the name that every client of `/agent` reads. */
const Answer = ErrorBody.omit({ message: true }).extend({ error: z.string() });

/** The typed error in a refused response; never throws. */
export const errorOf = async (response: Response): Promise<ErrorBody> => {
  const answer = Answer.safeParse(await response.json().catch((): null => null));
  if (!answer.success) return new CompanionError(codeOf(response.status), `It answered ${response.status}.`).toBody();
  const { error: message, ...rest } = answer.data;
  return { ...rest, message };
};

const codeOf = (status: number): ErrorCode => {
  if (status === 401) return 'UNAUTHORIZED';
  if (status === 403) return 'FORBIDDEN';
  if (status === 404) return 'ROUTE_NOT_FOUND';
  if (status === 413) return 'INPUT_TOO_LARGE';
  return 'INTERNAL';
};
