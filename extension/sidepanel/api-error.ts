/** What the daemon said when it refused, whatever the shape of the body. */
import { CompanionError, ErrorBody, type ErrorCode } from '#protocol/errors.ts';

/** The typed error in a refused response; never throws. */
export const errorOf = async (response: Response): Promise<ErrorBody> => {
  const answer = ErrorBody.safeParse(await response.json().catch((): null => null));
  return answer.success ? answer.data : new CompanionError(codeOf(response.status), `It answered ${response.status}.`).toBody();
};

const codeOf = (status: number): ErrorCode => {
  if (status === 401) return 'UNAUTHORIZED';
  if (status === 403) return 'FORBIDDEN';
  if (status === 404) return 'ROUTE_NOT_FOUND';
  if (status === 413) return 'INPUT_TOO_LARGE';
  return 'INTERNAL';
};
