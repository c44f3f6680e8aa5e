/** The error for an agent whose program is missing or must not be started. */
import { installCommandOf, type ProcessEngine } from '#companion/engines/engine.ts';
import type { Refusal } from '#companion/process/find.ts';
import { CompanionError } from '#protocol/errors.ts';

const REASONS: Readonly<Record<Refusal['why'], string>> = {
  'in a project': 'it lies in a project, and who wrote the project could have put it there',
  'open to others': 'everybody on this machine may write to it or to its folder',
};

/** `fix` is the command to run in a terminal, or empty when there is none. */
export class NotInstalled extends CompanionError {
  readonly fix: string;

  constructor(detail: string, advice: string, fix: string) {
    super('ENGINE_NOT_FOUND', detail, fix === '' ? {} : { remedy: `${advice}: \`${fix}\`.` });
    this.fix = fix;
  }
}

/** `where` is the program that was looked for; `isNamed` says that the user named it, `refusal` that one was found and not accepted. */
export const notInstalled = (engine: ProcessEngine, where: string, isNamed: boolean, refusal?: Refusal): NotInstalled => {
  const setPath = `pilotfish engine set ${engine.name} path=`;
  if (refusal !== undefined) {
    const detail = `${engine.label}: ${refusal.path} is not used: ${REASONS[refusal.why]}.`;
    return new NotInstalled(detail, 'If it is the right one, name it', setPath + refusal.path);
  }
  const detail = `${engine.label}: ${where}`;
  return isNamed
    ? new NotInstalled(detail, 'Name another program', `${setPath}PROGRAM`)
    : new NotInstalled(detail, 'Install it', installCommandOf(engine.finding));
};
