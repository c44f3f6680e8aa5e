import { exitCodeOf } from '#companion/cli/exit-code.ts';
import { toErrorBody } from '#protocol/errors.ts';

/** Does the work of a role, and says what it failed with as the arguments ask for; the exit code. */
export const reported = async (args: readonly string[], work: () => Promise<number>): Promise<number> => {
  try {
    return await work();
  } catch (error) {
    const body = toErrorBody(error);
    if (args.includes('--json')) console.log(JSON.stringify({ error: body }));
    else console.error(`${body.message}\n${body.remedy}`);
    return exitCodeOf(body.code);
  }
};
