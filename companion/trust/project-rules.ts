/** Which files of a project act and how each is read: what the engines say of their own, and what any program obeys. */
import type { Engine } from '#companion/engines/engine.ts';
import { code, frontMatter, variables, type FileForm, type OwnFolder, type ProjectTraits } from '#companion/engines/project-traits.ts';

/**
 * The forms of files, by the path below the folder. Every agent asks git about the folder it starts in; git's files are found
 * by its own pointers.
 */
const GIT_FILES: Readonly<Record<string, FileForm>> = { '.git/config': { type: 'git' }, '.git/hooks/post-index-change': code };

/** Files that the runtimes of some agents load, whatever the agent is. */
const ENV_FILES = ['.env', '.env.local', '.env.development', '.env.development.local', '.env.production', '.env.production.local'];

/** What is harmless in the folder of any agent: texts about it for people, and files that can only be looked at. */
const HARMLESS =
  /(?:^|\/)(?:\.gitignore|\.gitattributes|\.gitkeep|\.DS_Store|LICENSE(?:\.txt)?)$|\.(?:png|jpe?g|gif|webp|ico|svg|pdf|ttf|otf|woff2?)$/i;

/** Texts for an agent; what they do beyond that is in their front matter. */
const WORDS = /\.(?:md|mdc|markdown)$/i;

const unknown: FileForm = { type: 'unknown' };

/** The variables that runtimes, and programs that agents start, obey. */
const COMMON_VARIABLES = [
  // Web frameworks pass variables with these prefixes on to pages, and no agent uses them.
  String.raw`^(?!NEXT_PUBLIC_|VITE_|REACT_APP_|EXPO_PUBLIC_|PUBLIC_).*_(?:API_BASE|API_KEY|AUTH_TOKEN|BASE_URL)$`,
  String.raw`^(?:ALL|HTTP|HTTPS|NO)_PROXY$`,
  String.raw`^(?:BASH_ENV|ZDOTDIR|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED)$`,
  String.raw`^(?:PATH|PERL5OPT|PYTHONPATH|PYTHONSTARTUP|RUBYOPT|SSH_ASKPASS)$`,
  String.raw`^(?:BUN|DYLD|GIT|LD|SSL_CERT)_`,
];

/** Variables of editors and shells that stand for the folder of the project. */
const COMMON_ROOTS = ['PWD', 'workspace(?:Folder|Path|Root)'];

/** What to look for in a folder, whichever agent is about to start there: the user may start another one next. */
export class ProjectRules {
  /** The paths below the folder, without those of git. */
  readonly files: readonly string[];
  readonly folders: NonNullable<ProjectTraits['folders']>;
  readonly ownFolders: readonly OwnFolder[];
  readonly #forms: ReadonlyMap<string, FileForm>;
  readonly #mainFolderPaths: readonly string[];
  readonly #variable: RegExp;
  readonly #root: RegExp;

  constructor(engines: readonly Pick<Engine, 'project'>[]) {
    const traits = engines.flatMap(({ project }) => (project === undefined ? [] : [project]));
    const forms = new Map([
      ...traits.flatMap(({ files = {} }) => Object.entries(files)),
      ...ENV_FILES.map((name) => [name, variables] as const),
    ]);
    this.files = [...forms.keys()];
    this.folders = traits.flatMap(({ folders = [] }) => folders).filter((folder, index, all) => all.indexOf(folder) === index);
    this.ownFolders = traits.flatMap(({ ownFolders = [] }) => ownFolders).filter((folder, index, all) => all.indexOf(folder) === index);
    this.#forms = new Map([...forms, ...Object.entries(GIT_FILES)]);
    this.#mainFolderPaths = traits.flatMap(({ mainFolderPaths = [] }) => mainFolderPaths);
    const prefixes = traits.flatMap((each) => each.variables ?? []).map((prefix) => `^${RegExp.escape(prefix)}`);
    this.#variable = new RegExp([...prefixes, ...COMMON_VARIABLES].join('|'), 'i');
    const roots = [...traits.flatMap((each) => each.rootVariables ?? []), ...COMMON_ROOTS].join('|');
    this.#root = new RegExp(String.raw`\$\{?(?:${roots})\}?|\$\((?:pwd|git rev-parse --show-toplevel)\)`, 'g');
  }

  /** How the file of this path below the folder is read; null when it does not count. */
  formOf(name: string): FileForm | null {
    const holds = ({ name: folder, ends }: { name: string; ends: readonly string[] }): boolean =>
      name.startsWith(`${folder}/`) && ends.some((end) => name.endsWith(end));
    return this.#forms.get(name) ?? this.folders.find(holds)?.form ?? this.#formInOwnFolder(name);
  }

  /** Whether nothing of this path below an agent's own folder counts; a path that ends with `/` is a folder. */
  isHarmless(folder: OwnFolder, inner: string): boolean {
    return HARMLESS.test(inner) || folder.harmless?.test(inner) === true;
  }

  #formInOwnFolder(name: string): FileForm | null {
    const own = this.ownFolders.find((folder) => name.startsWith(`${folder.name}/`));
    if (own === undefined || this.isHarmless(own, name.slice(own.name.length + 1))) return null;
    return WORDS.test(name) ? frontMatter : unknown;
  }

  /** Whether an agent that works in a worktree also reads this file or folder in the main folder of the repository. */
  isReadInMainFolder(name: string): boolean {
    return this.#mainFolderPaths.some((path) => name.startsWith(path));
  }

  /** Whether agents, their runtimes, or the programs they start obey a variable of this name. */
  isActiveVariable(name: string): boolean {
    return this.#variable.test(name);
  }

  /** The text with `.` in the place of what stands for the folder of the project. */
  withRootAsDot(text: string): string {
    return text.replaceAll(this.#root, '.');
  }
}
