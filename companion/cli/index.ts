/** The list of subcommands, how one is found, and how its failure is reported. */
import { CompanionError, ERRORS, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { VERSION } from '#protocol/version.ts';
import { browsers, clients } from './admissions.ts';
import { approve } from './approve.ts';
import { attach } from './attach.ts';
import { checkpoints } from './checkpoints.ts';
import { attachments } from './attachments.ts';
import { completionOf } from './completion.ts';
import { daemon } from './daemon.ts';
import { diff } from './diff.ts';
import { doctor } from './doctor.ts';
import { engine, secret } from './engine.ts';
import { errand } from './errand.ts';
import { exitCodeOf, exitCodeOfTurn } from './exit-code.ts';
import { exportSession } from './export.ts';
import { grants } from './grants.ts';
import { sites } from './sites.ts';
import { describeCommand, describeCommands, describeMan } from './help.ts';
import { importSession } from './import.ts';
import { install } from './install.ts';
import type { Io } from './io.ts';
import { logs } from './logs.ts';
import { mcp } from './mcp.ts';
import { projects } from './projects.ts';
import { roots } from './roots.ts';
import { run } from './run.ts';
import { send } from './send.ts';
import { search } from './search.ts';
import { service } from './service.ts';
import { sessions } from './sessions.ts';
import { settings } from './settings.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { didYouMean, readArgs, type Subcommand } from './subcommand.ts';
import { trust } from './trust.ts';
import { uninstall } from './uninstall.ts';
import { tunnel } from './tunnel.ts';
import { update } from './update.ts';
import { usage } from './usage.ts';
import { version } from './version.ts';
import { worktree } from './worktree.ts';

const help: Subcommand = {
  name: 'help',
  summary: 'this page, or that of one command',
  usage: ['[COMMAND] | --man [--json]', '--man   print the manual page, for man(1)', '--json  print the page as JSON'],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { man: { type: 'boolean' }, json: { type: 'boolean' } }, { most: 1 });
    const [name] = positionals;
    const isJson = values.json === true;
    if (values.man === true) {
      const manual = describeMan(subcommands, VERSION, sourceDate(io.env));
      if (isJson) io.json({ manual });
      else io.print(manual);
    } else if (name !== undefined) printPage(io, findSubcommand(name), isJson);
    else if (isJson) io.json({ commands: subcommands.map(toPage) });
    else io.print(describeCommands(subcommands));
    return 0;
  },
};

/** The same sources give the same page: https://reproducible-builds.org/specs/source-date-epoch/ */
const sourceDate = ({ SOURCE_DATE_EPOCH: seconds }: NodeJS.ProcessEnv): Date => {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? new Date() : date;
};

const toPage = ({ name, summary, usage: [form = '', ...lines] }: Subcommand) => ({ name, summary, form, lines });

const printPage = (io: Io, command: Subcommand, isJson: boolean): void => {
  if (isJson) io.json({ command: toPage(command) });
  else io.print(describeCommand(command));
};

/** Without arguments the application opens the terminal UI before it comes here. */
const tui: Subcommand = {
  name: 'tui',
  summary: 'open the terminal UI, as without a command',
  usage: [''],
  run: async (args) => {
    readArgs(args, {});
    throw new CompanionError('CLI_USAGE', '"tui" takes no arguments.');
  },
};

export const subcommands: readonly Subcommand[] = [
  tui,
  install,
  doctor,
  status,
  run,
  send,
  approve,
  attach,
  sessions,
  search,
  usage,
  diff,
  checkpoints,
  worktree,
  projects,
  attachments,
  engine,
  secret,
  errand,
  settings,
  roots,
  browsers,
  clients,
  grants,
  sites,
  trust,
  mcp,
  exportSession,
  importSession,
  logs,
  daemon,
  service,
  stop,
  tunnel,
  update,
  uninstall,
  completionOf(
    () => subcommands,
    () => aliases,
  ),
  version,
  help,
];

/** Runs the subcommand that the arguments name; resolves with the exit code, see exit-code.ts. */
export const runCli = async (args: readonly string[], io: Io): Promise<number> => {
  const code = await runSubcommand(args, io);
  const fault = await io.written();
  if (fault === null) return code;
  io.note(`The output could not be written: ${fault.message}\nFree space where it goes, or write it elsewhere.`);
  return code === 0 ? exitCodeOf('DISK_FAILED') : code;
};

const runSubcommand = async ([name = 'help', ...args]: readonly string[], io: Io): Promise<number> => {
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length);
  let command: Subcommand | null = null;
  try {
    command = findSubcommand(name);
    if (own.includes('--help') || own.includes('-h')) {
      printPage(io, command, own.includes('--json'));
      return 0;
    }
    return await command.run(args, io);
  } catch (error) {
    if (io.signal.aborted && error instanceof Error && error.name === 'AbortError') return exitCodeOfTurn('cancelled', undefined);
    const body = withHelp(toErrorBody(error), command);
    // On one line, because it may come after events.
    if (own.includes('--json')) io.json({ error: body }, true);
    else io.note(`${body.message}\n${body.remedy}`);
    return exitCodeOf(body.code);
  }
};

/** What is wrong in the line of a command is explained on the command's own page. */
const withHelp = (body: ErrorBody, command: Subcommand | null): ErrorBody =>
  command === null || body.code !== 'CLI_USAGE' || body.remedy !== ERRORS.CLI_USAGE.remedy
    ? body
    : { ...body, remedy: `See \`pilotfish help ${command.name}\`.` };

const findSubcommand = (name: string): Subcommand => {
  const wanted = aliases.get(name) ?? name;
  const found = subcommands.find((command) => command.name === wanted);
  if (found === undefined) {
    const known = [...subcommands.map((command) => command.name), ...aliases.keys()];
    throw new CompanionError('CLI_USAGE', `There is no command "${name}".${didYouMean(name, known)}`);
  }
  return found;
};

const aliases: ReadonlyMap<string, string> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-v', 'version'],
  ['engines', 'engine'],
  ['session', 'sessions'],
  ['project', 'projects'],
  ['secrets', 'secret'],
]);
