/** A session's work in a git repository: its worktree, what it has changed, its checkpoints, and how it is brought to an end. */
import * as z from 'zod';
import { TurnId } from './ids.ts';

/** A working folder of its own, which Pilotfish made for a session in the project's repository. */
export const Worktree = z.object({
  /** Its top. */
  path: z.string(),
  /** Where the agent works: the top, or the folder in it that is the project. */
  folder: z.string(),
  /** The top of the person's own working folder. */
  repository: z.string(),
  branch: z.string(),
  /** The commit at which it began. */
  base: z.string(),
  /** The branch from which it began; null when none was checked out. */
  baseBranch: z.string().nullable(),
  /** How many files of the person's folder had changes that were not committed: they were not taken along. */
  leftBehind: z.number(),
  state: z.enum(['open', 'merged', 'kept', 'discarded']),
});
export type Worktree = z.infer<typeof Worktree>;

/** The part of it that a list shows. */
export const WorktreeSummary = Worktree.pick({ path: true, folder: true, branch: true, baseBranch: true, state: true });

/** A file that is not as it was where the session began. Paths are below the top of the repository. */
export const ChangedFile = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  status: z.enum(['added', 'deleted', 'modified', 'renamed', 'type-changed']),
  additions: z.number(),
  deletions: z.number(),
  isBinary: z.boolean(),
  sizeBytes: z.number(),
  /** Too large for a patch. */
  isHuge: z.boolean().optional(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** The whole change of a session. */
export const Changes = z.object({
  /** Where the agent works. */
  folder: z.string(),
  /** The top of the repository, to which the paths belong. */
  top: z.string(),
  /** The state from which it is counted: a commit of git. */
  base: z.string(),
  /** Which state that is: where the session began or, where that was not kept, the last commit of the person's branch. */
  since: z.enum(['session', 'commit']).default('session'),
  /** The state now, as a tree of git: pages of a patch name it, so that they belong together. */
  now: z.string(),
  files: z.array(ChangedFile),
  additions: z.number(),
  deletions: z.number(),
  worktree: Worktree.nullable(),
});
export type Changes = z.infer<typeof Changes>;

export const PatchPage = z.object({
  path: z.string(),
  patch: z.string(),
  nextOffset: z.number().nullable(),
  totalChars: z.number(),
});
export type PatchPage = z.infer<typeof PatchPage>;

/** One part of a file's patch: `now` is the state with which the patch was shown, `index` which of its parts, from 0. */
export const HunkPlace = z.strictObject({ now: z.string().regex(/^[0-9a-f]{40,64}$/), index: z.number().int().min(0) });
export type HunkPlace = z.infer<typeof HunkPlace>;

/** A state of the folder that can be gone back to. */
export const Checkpoint = z.object({
  id: z.string(),
  /** `turn`: before a turn. `undo`: before the person went back or reverted something. */
  kind: z.enum(['turn', 'undo']),
  turnId: TurnId.nullable(),
  at: z.string(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** What was brought back. `undo` is the checkpoint of the state before. */
export const WentBack = z.object({ undo: z.string(), files: z.array(z.string()), skipped: z.array(z.string()) });
export type WentBack = z.infer<typeof WentBack>;

/** merge: into the branch from which it began · keep: as a branch · discard: away · restore: make its folder again. */
export const FinishAction = z.enum(['merge', 'keep', 'discard', 'restore']);
export type FinishAction = z.infer<typeof FinishAction>;

/** How a session's worktree ended. */
export const Finished = z.object({
  worktree: Worktree,
  /** The commit with all of its work; null when nothing was changed. */
  commit: z.string().nullable(),
  /** How many files were changed and not committed; they are in the commit now. */
  committedFiles: z.number(),
  /** Where discarded work is kept: a name that git understands. */
  savedAs: z.string().nullable(),
});
export type Finished = z.infer<typeof Finished>;

/** Paths below the folder of a project, with `/`. */
export const ProjectFiles = z.object({ files: z.array(z.string()), isCut: z.boolean() });
export type ProjectFiles = z.infer<typeof ProjectFiles>;
