/** What comes from outside, read from the process that the operating system names. Pure. */
import { hash } from 'node:crypto';
import type { Admission } from '#protocol/admission.ts';
import { foreignName } from '#protocol/foreign-name.ts';
import type { Caller } from '#companion/lib/peer.ts';

/** Somebody who has come: what an admission is about. */
export type Comer = Omit<Admission, 'state' | 'since'>;

export interface ProgramFacts {
  /** The file of this very program: our host and `pilotfish mcp` speak for the program that has started them. */
  readonly ownProgram: string | null;
  /** Whether a file is the program of an installed browser, which nobody but the administrator can replace. */
  readonly isBrowser: (program: string) => boolean;
}

/** A browser on the link; `browserId` names its profile. */
export const toBrowserComer = (
  { browserId, label }: { readonly browserId: string; readonly label: string },
  caller: Caller | null,
  { ownProgram, isBrowser }: ProgramFacts,
): Comer => {
  const { speaker, isOurs } = speakerOf(caller, ownProgram);
  const isHonest = isOurs && speaker.program !== null && isBrowser(speaker.program);
  return toComer('browser', browserId, label, speaker, isHonest ? 'browser' : originOf(caller));
};

/** An MCP client; the name is the one that it gives itself. */
export const toClientComer = (name: string, caller: Caller | null, { ownProgram }: Pick<ProgramFacts, 'ownProgram'>): Comer =>
  toComer('client', name, name, speakerOf(caller, ownProgram).speaker, originOf(caller));

type Process = Pick<Comer, 'pid' | 'program' | 'folder'>;

const NOBODY: Process = { pid: null, program: null, folder: null };

const speakerOf = (caller: Caller | null, ownProgram: string | null): { speaker: Process; isOurs: boolean } => {
  if (caller === null) return { speaker: NOBODY, isOurs: false };
  const isOurs = caller.program !== null && caller.program === ownProgram;
  return isOurs ? { speaker: caller.parent ?? NOBODY, isOurs } : { speaker: caller, isOurs };
};

const originOf = (caller: Caller | null): Comer['origin'] => {
  if (caller === null || caller.program === null) return 'unknown';
  return caller.actsFor === 'person' ? 'program' : 'agent';
};

/** The id cannot be made for another program or name: it is long enough that nobody finds two of the same. */
const toComer = (
  kind: Comer['kind'],
  identity: string,
  name: string,
  { pid, program, folder }: Process,
  origin: Comer['origin'],
): Comer => ({
  id: hash('sha256', JSON.stringify([kind, identity, program, origin])).slice(0, 32),
  kind,
  name: foreignName(name),
  program,
  pid,
  folder,
  origin,
});
