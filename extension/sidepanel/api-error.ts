/** What the daemon said when it refused, whatever the shape of the body. */
import * as z from 'zod';
import { CompanionError, ErrorBody, type ErrorCode } from '#protocol/errors.ts';

const Wrapped = z.object({ error: ErrorBody });
const Plain = z.object({ error: z.string() });

/** The typed error in a refused response; never throws. */
export const errorOf = async (response: Response): Promise<ErrorBody> => {
  const body: unknown = await response.json().catch(() => null);
  const direct = ErrorBody.safeParse(body);
  if (direct.success) return direct.data;
  const wrapped = Wrapped.safeParse(body);
  if (wrapped.success) return wrapped.data.error;
  const plain = Plain.safeParse(body);
  const detail = plain.success ? plain.data.error : `It answered ${response.status}.`;
  return new CompanionError(codeOf(response.status), detail).toBody();
};

const codeOf = (status: number): ErrorCode => {
  if (status === 401) return 'UNAUTHORIZED';
  if (status === 403) return 'FORBIDDEN';
  if (status === 404) return 'ROUTE_NOT_FOUND';
  if (status === 413) return 'INPUT_TOO_LARGE';
  return 'INTERNAL';
};
