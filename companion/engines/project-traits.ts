/** What an engine says of the files by which a folder makes its agent do something when it merely begins to work there. Data only. */

/** How a file is read, and what of it does no harm. What is not known to be harmless counts. */
export type FileForm =
  /** Dotted names of harmless settings; one that holds others covers them. */
  | { readonly type: 'json'; readonly harmless: readonly string[] }
  /** A harmless line matches as a whole. */
  | { readonly type: 'lines'; readonly harmless: RegExp | null }
  | { readonly type: 'env' }
  | { readonly type: 'git' }
  | { readonly type: 'front matter' }
  /** Nobody has said what the file does: it counts as a whole. */
  | { readonly type: 'unknown' }
  /** The whole file is a program. */
  | { readonly type: 'code' };

/** A folder of a project that belongs to an agent. Every file in it counts unless it is known to be harmless. */
export interface OwnFolder {
  readonly name: string;
  /** Matches paths below the folder, those of folders with a `/` at their end: what agents keep there and never obey. */
  readonly harmless?: RegExp;
}

/** The folder that several agents share for their skills. */
export const sharedFolder: OwnFolder = { name: '.agents' };

/** Files that start programs, send an agent elsewhere, or allow things without asking. */
export interface ProjectTraits {
  /** By path below the folder, with `/`. */
  readonly files?: Readonly<Record<string, FileForm>>;
  readonly ownFolders?: readonly OwnFolder[];
  /** Folders all of whose files with one of these endings count, at any depth. */
  readonly folders?: readonly { readonly name: string; readonly ends: readonly string[]; readonly form: FileForm }[];
  /** Beginnings of the names of variables that the agent obeys, in `.env` files for instance. */
  readonly variables?: readonly string[];
  /** Variables that stand for the folder of the project in its settings. */
  readonly rootVariables?: readonly string[];
  /** Beginnings of the paths that the agent also reads in the main folder of a repository when it works in a worktree of it. */
  readonly mainFolderPaths?: readonly string[];
}

/** JSON of which nothing but its form is harmless. */
export const anyJson: FileForm = { type: 'json', harmless: ['$schema', 'version'] };

/** Text of which every line counts. */
export const anyLines: FileForm = { type: 'lines', harmless: null };

/** A text for an agent, whose head may name programs and permissions. */
export const frontMatter: FileForm = { type: 'front matter' };

export const code: FileForm = { type: 'code' };

export const variables: FileForm = { type: 'env' };
