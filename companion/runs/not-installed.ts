/** The error for an agent whose program is missing or must not be started. */
import { installCommandOf, type ProcessEngine } from '#companion/engines/engine.ts';
import type { Refusal } from '#companion/process/find.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import type { Said } from '#protocol/said.ts';

/** `fix` is the command to run in a terminal, or empty when there is none. */
export class NotInstalled extends CompanionError {
  readonly fix: string;

  constructor(detail: string | Said, advice: 'install_it' | 'name_program' | 'name_if_right', fix: string) {
    super('ENGINE_NOT_FOUND', detail, fix === '' ? {} : { remedy: explain(advice, { command: fix }) });
    this.fix = fix;
  }
}

/** `where` is the program that was looked for; `isNamed` says that the user named it, `refusal` that one was found and not accepted. */
export const notInstalled = (engine: ProcessEngine, where: string, isNamed: boolean, refusal?: Refusal): NotInstalled => {
  const setPath = `pilotfish engine set ${engine.name} path=`;
  if (refusal !== undefined) {
    const { path: program, why } = refusal;
    const detail = explain(why === 'in a project' ? 'program_in_project' : 'program_open', { agent: engine.label, program });
    return new NotInstalled(detail, 'name_if_right', setPath + program);
  }
  const detail = `${engine.label}: ${where}`;
  return isNamed
    ? new NotInstalled(detail, 'name_program', `${setPath}PROGRAM`)
    : new NotInstalled(detail, 'install_it', installCommandOf(engine.finding));
};
