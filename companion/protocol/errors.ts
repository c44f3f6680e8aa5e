/** Every error a person or a model can meet: its code, what failed, what to do, and the HTTP status at the door. */
import * as z from 'zod';
import { diskFaultOf } from './disk-faults.ts';
import { explainLink } from './link-faults.ts';
import { isMoment, Moment } from './moment.ts';
import { SaidSchema } from './said-schema.ts';
import { isSaid, type Said } from './said.ts';

interface ErrorKind {
  readonly status: number;
  readonly message: string;
  readonly remedy: string;
}

export const ERRORS = {
  ENGINE_NOT_FOUND: {
    status: 424,
    message: 'The agent is not installed on this machine.',
    remedy: 'Install it, then check the agents again.',
  },
  ENGINE_SERVER_NOT_FOUND: {
    status: 424,
    message: 'No model server answers.',
    remedy: 'Start your model server, then check the agents again.',
  },
  ENGINE_TOO_OLD: { status: 424, message: 'The installed agent is too old.', remedy: 'Update the agent, then check the agents again.' },
  ENGINE_NOT_LOGGED_IN: {
    status: 424,
    message: 'The agent is not logged in.',
    remedy: 'Log in with the agent in a terminal, then send again.',
  },
  ENGINE_START_FAILED: {
    status: 502,
    message: 'The agent could not be started.',
    remedy: 'Run `pilotfish doctor` to see which step fails.',
  },
  ENGINE_CRASHED: {
    status: 502,
    message: 'The agent stopped unexpectedly.',
    remedy: 'Send again: the conversation is resumed where it stopped.',
  },
  ENGINE_HUNG: {
    status: 504,
    message: 'The agent gave no sign of life and was stopped.',
    remedy: 'Send again: the conversation is resumed.',
  },
  ENGINE_TURN_TOO_LONG: {
    status: 504,
    message: 'The turn took longer than it may and was stopped.',
    remedy: 'Raise the limit in the session settings (below the message, `L` in the terminal), then send again: the conversation goes on.',
  },
  ENGINE_OUTPUT_MALFORMED: {
    status: 502,
    message: 'The agent wrote something we cannot read.',
    remedy: 'Update the agent and Pilotfish; `pilotfish logs` has the line.',
  },
  ENGINE_OUTPUT_TRUNCATED: {
    status: 502,
    message: 'The agent ended before its answer was complete.',
    remedy: 'Send again: the conversation is resumed.',
  },
  ENGINE_RATE_LIMITED: {
    status: 429,
    message: 'The model provider limits how much may be used now.',
    remedy: 'Wait until the limit resets, or choose another model or agent.',
  },
  ENGINE_OVERLOADED: {
    status: 503,
    message: 'The model provider is overloaded.',
    remedy: 'Send again in a minute, or choose another model.',
  },
  ENGINE_CONTEXT_FULL: {
    status: 413,
    message: "The conversation no longer fits the model's context.",
    remedy: 'Start a new session, or let the agent compact this one.',
  },
  ENGINE_MODEL_UNKNOWN: {
    status: 404,
    message: 'The provider does not know this model.',
    remedy: 'Choose another model (below the message, `m` in the terminal), then send again.',
  },
  ENGINE_BUDGET_REACHED: {
    status: 402,
    message: 'The limit set for this session is reached.',
    remedy: 'Raise the limit in the session settings (below the message, `L` in the terminal), then send again.',
  },
  PROMPT_BUDGET_REACHED: {
    status: 402,
    message: 'The budget of this prompt is spent.',
    remedy: 'Send again with a higher budget (`pilotfish run --budget AMOUNT`), or without one.',
  },
  DAILY_BUDGET_REACHED: {
    status: 402,
    message: 'The budget for today is spent.',
    remedy:
      'Wait until tomorrow, or raise the daily budget: `pilotfish settings set dailyCostUsd AMOUNT` (or dailyTokens), none for no limit.',
  },
  ENGINE_API_ERROR: {
    status: 502,
    message: 'The model provider answered with an error.',
    remedy: 'Send again; if it stays, check the provider and your key.',
  },
  ENGINE_REFUSED: { status: 422, message: 'The model declined to answer.', remedy: 'Rephrase the request.' },
  ENGINE_UNKNOWN: { status: 404, message: 'No agent has this name.', remedy: 'See the names with `pilotfish status`.' },
  ENGINE_UNSUPPORTED: { status: 409, message: 'This agent cannot do that.', remedy: 'Choose another agent for it.' },
  WORKSPACE_NOT_FOUND: { status: 404, message: 'The project folder does not exist.', remedy: 'Create it, or choose another folder.' },
  WORKSPACE_NOT_A_DIRECTORY: {
    status: 400,
    message: 'The project path is a file, not a folder.',
    remedy: 'Choose the folder that holds it.',
  },
  WORKSPACE_OUTSIDE_ROOTS: {
    status: 403,
    message: 'The folder is outside the folders agents may work in.',
    remedy: 'Allow it in a terminal: `pilotfish roots add FOLDER`.',
  },
  WORKSPACE_NOT_TRUSTED: {
    status: 403,
    message: 'The project would start programs of its own and was not trusted yet.',
    remedy: 'Look at what it would start and answer the card.',
  },
  GIT_NOT_FOUND: {
    status: 424,
    message: 'Git is not installed on this machine.',
    remedy: 'Install git, then try again; sessions without a worktree work without it.',
  },
  GIT_TOO_OLD: { status: 424, message: 'The installed git is too old.', remedy: 'Update git, then try again.' },
  GIT_NO_REPOSITORY: {
    status: 409,
    message: 'The folder is in no git repository, so there are no worktrees, changes or checkpoints.',
    remedy: 'Make it one with `git init` and a first commit, or work in the folder itself.',
  },
  GIT_NO_COMMIT: {
    status: 409,
    message: 'The repository has no commit yet, so no worktree can begin at one.',
    remedy: 'Make a first commit, or work in the folder itself.',
  },
  GIT_FAILED: {
    status: 502,
    message: 'Git could not do this.',
    remedy: 'See what git says, mend that in the repository, then try again; nothing was lost.',
  },
  WORKTREE_NONE: {
    status: 409,
    message: 'This session has no worktree of its own.',
    remedy: 'Nothing to do: it works in the folder itself.',
  },
  WORKTREE_GONE: {
    status: 410,
    message: "The folder of this session's worktree is not there any more.",
    remedy: 'Make it again from its branch (`pilotfish worktree restore SESSION`), or start a new session.',
  },
  WORKTREE_THERE: {
    status: 409,
    message: 'The folder of the worktree is there already.',
    remedy: 'Nothing to do: the session works in it.',
  },
  WORKTREE_FINISHED: {
    status: 409,
    message: 'The worktree of this session was finished, so its agent has no folder any more.',
    remedy: 'Start a new session, or go on from this one in a new one (fork); what was said stays.',
  },
  BRANCH_ELSEWHERE: {
    status: 409,
    message: 'The branch is checked out in another folder.',
    remedy: 'Check out another branch there, then try again.',
  },
  MERGE_CONFLICT: {
    status: 409,
    message: 'The work and the branch from which it began changed the same places; nothing was merged.',
    remedy: "Ask the session's agent to merge that branch into its own and to mend the conflicts, or keep the work as a branch.",
  },
  MERGE_BLOCKED: {
    status: 409,
    message: 'This cannot be done without losing something, so nothing was done.',
    remedy: 'Commit or stash what is named, then try again.',
  },
  CHECKPOINT_NOT_FOUND: { status: 404, message: 'There is no such checkpoint.', remedy: 'List the checkpoints of the session.' },
  FOLDER_TAKEN: {
    status: 409,
    message: 'Another agent works in this folder now.',
    remedy: 'Wait for its end (queue), work in a worktree of your own, or go on anyway.',
  },
  MCP_UNREACHABLE: {
    status: 502,
    message: 'The agent could not reach the browser tools.',
    remedy: 'Run `pilotfish doctor`; a firewall on loopback is the usual cause.',
  },
  BROWSER_NOT_CONNECTED: {
    status: 503,
    message: 'No browser is connected.',
    remedy: 'Open Chrome with the Pilotfish extension; `pilotfish install` says where to load it from.',
  },
  BROWSER_DISCONNECTED: {
    status: 503,
    message: 'The browser went away during the call.',
    remedy: 'Open the browser again and repeat the call.',
  },
  BROWSER_UNKNOWN: { status: 404, message: 'No connected browser has this id.', remedy: 'List the browsers with browser_tabs.' },
  WORKER_RESTARTED: {
    status: 503,
    message: "The extension's worker restarted during the call; whether the action happened is unknown.",
    remedy: 'Look at the page with browser_snapshot before repeating it.',
  },
  TAB_NOT_FOUND: {
    status: 404,
    message: 'The tab does not exist any more.',
    remedy: 'List the tabs with browser_tabs and pass the tabId of one of them.',
  },
  TAB_RESTRICTED: {
    status: 403,
    message: 'The browser does not let extensions work on this page.',
    remedy: 'Navigate to an ordinary web page first.',
  },
  TARGET_NOT_FOUND: {
    status: 404,
    message: 'No element has this ref or selector.',
    remedy: 'Take a new browser_snapshot and use a ref from it.',
  },
  DOCUMENT_CHANGED: {
    status: 409,
    message: 'The page was left for another one before this was done; nothing was done on the new page.',
    remedy: 'Look at the new page with browser_snapshot; what is done there is allowed by itself.',
  },
  TARGET_NOT_READY: {
    status: 409,
    message: 'The element is hidden, disabled or covered.',
    remedy: 'Close what covers it or wait for it, then try again.',
  },
  DIALOG_OPEN: {
    status: 409,
    message: 'The page shows a dialog and stands still until it is answered.',
    remedy: 'Answer it with browser_handle_dialog.',
  },
  URL_NOT_ALLOWED: {
    status: 403,
    message: 'This address is never opened for an agent.',
    remedy: 'Use an http or https address other than Pilotfish itself.',
  },
  NAVIGATION_FAILED: { status: 502, message: 'The page could not be loaded.', remedy: 'Check the address and that its server runs.' },
  TOOL_UNKNOWN: { status: 404, message: 'There is no tool with this name.', remedy: 'See tools/list for the names.' },
  TOOL_ARGUMENTS: { status: 400, message: 'The arguments of the tool are wrong.', remedy: 'Correct the named argument and retry.' },
  TOOL_TIMEOUT: { status: 504, message: 'The tool did not finish in time.', remedy: 'Look at the page with browser_snapshot, then retry.' },
  TOOL_FAILED: { status: 502, message: 'The tool failed.', remedy: 'Look at the page with browser_snapshot, then retry.' },
  CALL_CANCELLED: { status: 499, message: 'The call was cancelled.', remedy: 'Repeat it if it is still wanted.' },
  CONSENT_DENIED: { status: 403, message: 'The user did not allow this.', remedy: 'Do not retry; ask the user what to do instead.' },
  BROWSER_PERMISSION: {
    status: 403,
    message: 'The browser has not given Pilotfish the right for this.',
    remedy: 'Call it once more: the user presses "Allow" in the side panel of this browser, which then asks them for that right.',
  },
  SITE_NOT_ALLOWED: {
    status: 403,
    message: 'The user set a rule for this site that forbids it.',
    remedy: 'Do not retry, nor by another way; tell the user, who can change the rule with `pilotfish sites` or on the options page.',
  },
  PROJECT_NOT_FOUND: { status: 404, message: 'There is no such project.', remedy: 'Choose a project from the list, or create one.' },
  PROJECT_FORGOTTEN: {
    status: 410,
    message: 'The project of this session was forgotten, so its folder is not known any more.',
    remedy: 'Choose a project for this session again, then send again; what was said stays.',
  },
  SESSION_NOT_FOUND: { status: 404, message: 'There is no such session.', remedy: 'Choose a session from the list, or start a new one.' },
  SESSION_BUSY: { status: 409, message: 'The session is working.', remedy: 'Wait for the turn to end, or stop it.' },
  TURN_NOT_FOUND: { status: 404, message: 'There is no such turn.', remedy: 'Reload the session.' },
  TASK_NOT_RUNNING: { status: 404, message: 'No such task runs in the background.', remedy: 'Nothing to do: it has ended.' },
  RULE_NOT_FOUND: { status: 404, message: 'There is no such permission or rule.', remedy: 'List them again; it may be gone already.' },
  REQUEST_NOT_FOUND: { status: 404, message: 'There is no such request.', remedy: 'Reload the session.' },
  ERRAND_GONE: {
    status: 410,
    message: 'This window has nothing to do: what it was opened for was done already, or is too long ago.',
    remedy: 'Press the button in the panel again.',
  },
  PROPOSAL_OPEN: {
    status: 409,
    message: 'Another change of an agent is waiting for your answer in a terminal window.',
    remedy: 'Answer it there, or cancel it where it was asked for.',
  },
  PROPOSAL_STALE: {
    status: 409,
    message: 'What is set for the agent was changed since this window showed it, so nothing was set.',
    remedy: 'Press the button in the panel again.',
  },
  REQUEST_RESOLVED: { status: 409, message: 'This is not open any more.', remedy: 'Nothing to do.' },
  FILE_OUTSIDE_PROJECT: {
    status: 403,
    message: 'Only files of the project are handed to a page.',
    remedy: 'Name a file inside the project, or ask the user to attach it to a prompt.',
  },
  FILE_NOT_FOUND: { status: 404, message: 'There is no such file.', remedy: 'It may have been moved or deleted; name one that is there.' },
  DESKTOP_FAILED: {
    status: 501,
    message: 'This could not be opened on the desktop.',
    remedy: 'Type the path, or open it by hand.',
  },
  INPUT_INVALID: { status: 400, message: 'The request is not valid.', remedy: 'Correct the named field.' },
  INPUT_TOO_LARGE: { status: 413, message: 'The request is too large.', remedy: 'Send less, or attach it as a file.' },
  ATTACHMENT_GONE: {
    status: 410,
    message: 'Something attached to the prompt is gone or cannot be read.',
    remedy: 'Attach it again, then send again.',
  },
  MEDIA_TYPE_WRONG: {
    status: 415,
    message: 'Only uncompressed application/json is accepted.',
    remedy: 'Set content-type: application/json.',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'A valid token is needed.',
    remedy: 'Reconnect; `pilotfish mcp config` prints a fresh configuration.',
  },
  ADMISSION_UNKNOWN: {
    status: 404,
    message: 'No browser or program with this id has come.',
    remedy: 'See the ids with `pilotfish browsers` and `pilotfish clients`.',
  },
  BROWSER_NOT_ALLOWED: {
    status: 403,
    message: 'The person has not let this browser in.',
    remedy: 'Press "Allow" in its side panel, or run `pilotfish browsers` in a terminal.',
  },
  BROWSER_NOT_PAIRED: {
    status: 403,
    message: 'This browser is not paired with this Pilotfish, or no longer.',
    remedy: 'Run `pilotfish browsers pair` where Pilotfish runs, then press "Pair" in the settings of the extension.',
  },
  REMOTE_FAILED: {
    status: 502,
    message: 'The Pilotfish of the other machine could not be reached.',
    remedy: 'Look whether `ssh HOST pilotfish status` works, or `docker exec NAME pilotfish status`, then try again.',
  },
  PAIRING_CLOSED: {
    status: 409,
    message: 'No pairing is open.',
    remedy: 'Run `pilotfish browsers pair` where Pilotfish runs, and pair the browser within five minutes.',
  },
  PAIRING_REFUSED: {
    status: 403,
    message: 'The pairing was not confirmed at both ends.',
    remedy: 'Run `pilotfish browsers pair` again, and confirm only if both ends show the same code.',
  },
  CLIENT_NOT_ALLOWED: {
    status: 403,
    message: 'The user does not let this program use the browser.',
    remedy: 'Do not retry. If it is wanted after all, the user runs `pilotfish clients` in a terminal and allows it there.',
  },
  PERSON_ONLY: {
    status: 403,
    message: 'Only the person may do this, and the program that asked for it was started by an agent.',
    remedy: 'Do it yourself: in the side panel, or in a terminal that no agent has opened.',
  },
  FORBIDDEN: {
    status: 403,
    message: 'This door is closed to the caller.',
    remedy: 'Use the side panel, the terminal or an MCP client with its own token.',
  },
  METHOD_WRONG: {
    status: 405,
    message: 'This address does not take that method.',
    remedy: 'Use a method that the header `allow` of the answer names; see docs/api.md.',
  },
  ROUTE_NOT_FOUND: { status: 404, message: 'There is no such address here.', remedy: 'See docs/api.md for the routes.' },
  FRAME_INVALID: {
    status: 400,
    message: 'A message on the link was malformed and was dropped.',
    remedy: 'Reload the extension; if it stays, update both halves.',
  },
  FRAME_TOO_LARGE: { status: 413, message: 'A message on the link was too large.', remedy: 'Ask the tool for less.' },
  COMPANION_TOO_OLD: {
    status: 426,
    message: 'The extension is newer than the pilotfish program and they no longer understand each other.',
    remedy: 'Run `pilotfish update --from FILE` with a newer package, then reload the extension.',
  },
  EXTENSION_TOO_OLD: {
    status: 426,
    message: 'The extension is older than the pilotfish program and they no longer understand each other.',
    remedy: 'Run `pilotfish install`, then reload the extension at chrome://extensions.',
  },
  SOCKET_FOREIGN: {
    status: 500,
    message: "The private socket's place cannot be trusted.",
    remedy: 'Remove what is named above, or set PILOTFISH_HOME to a folder of your own.',
  },
  DAEMON_START_FAILED: {
    status: 500,
    message: 'The pilotfish daemon could not be started.',
    remedy: 'Run `pilotfish doctor`: it says why, and where the log is.',
  },
  DAEMON_NOT_RUNNING: {
    status: 503,
    message: 'No pilotfish daemon is running.',
    remedy: 'An open side panel starts it by itself; in a terminal, run `pilotfish`.',
  },
  DAEMON_TOO_OLD: {
    status: 426,
    message: 'The daemon that runs is older than this program, which no longer understands it.',
    remedy: 'Run `pilotfish stop`: the next start is the newer one.',
  },
  PROGRAM_TOO_OLD: {
    status: 426,
    message: 'The daemon that runs is newer than this program, and no longer understands it.',
    remedy: 'End this program and start the newer one; the program of an MCP client (`pilotfish mcp`) ends with its client.',
  },
  DAEMON_REPLACED: {
    status: 503,
    message: 'Another pilotfish daemon has taken the place of this one, which was suspended for too long.',
    remedy: 'Try again: the new one answers.',
  },
  DISK_FAILED: {
    status: 500,
    message: 'A file or a folder could not be used.',
    remedy: 'Check the free space and the rights of the folder that is named.',
  },
  STORE_FAILED: {
    status: 500,
    message: 'The history could not be written.',
    remedy: 'Free disk space and check the rights of the data folder; what was acknowledged is safe.',
  },
  INSTALL_FAILED: {
    status: 500,
    message: 'A part of Pilotfish could not be installed or removed.',
    remedy: 'Check the rights of the folder named above and run `pilotfish install` again.',
  },
  CONFIG_NOT_CHANGED: {
    status: 409,
    message: 'The configuration was not changed.',
    remedy: 'Mend the file that is named, then try again.',
  },
  UPDATE_UNREADABLE: {
    status: 404,
    message: 'The new version cannot be read.',
    remedy: 'Name a package file or an https address; SHA256SUMS and SHA256SUMS.sig must lie beside it. Nothing was changed.',
  },
  UPDATE_NOT_VERIFIED: {
    status: 403,
    message: 'The package is not what its maker has signed.',
    remedy: 'Get it again, together with SHA256SUMS and SHA256SUMS.sig; nothing was changed.',
  },
  UPDATE_REFUSED: {
    status: 409,
    message: 'This update is not made.',
    remedy: 'Name the package of a newer version for this system; nothing was changed.',
  },
  UPDATE_FAILED: {
    status: 502,
    message: 'The update failed, and the version of before stays.',
    remedy: 'See `pilotfish logs`, and try a later version.',
  },
  CLI_USAGE: { status: 400, message: 'The command line is not understood.', remedy: 'See `pilotfish --help`.' },
  FAULT_UNKNOWN: {
    status: 502,
    message: 'Pilotfish of another version reports a fault that this one does not know.',
    remedy: 'Bring the program and the extension to the same version.',
  },
  INTERNAL: { status: 500, message: 'Something failed inside pilotfish.', remedy: 'See `pilotfish logs`; what was acknowledged is safe.' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

const codes = Object.keys(ERRORS);

/** Whether a foreign string is one of our codes. */
export const isErrorCode = (value: unknown): value is ErrorCode => typeof value === 'string' && codes.includes(value);

/** What a front end says in its own language of an error, where that is more than the words of its code. */
const Says = z.object({
  /** In place of the words of the code. */
  message: SaidSchema.optional(),
  /** What `message` has beside the words of the code. */
  detail: SaidSchema.optional(),
  remedy: SaidSchema.optional(),
});
type Says = z.infer<typeof Says>;

/** An error as it travels: in an HTTP body, in an event, over the link. */
export const ErrorBody = z.object({
  /** A later version has further codes; what it says of a fault counts all the same. */
  code: z.string().transform((value): ErrorCode => (isErrorCode(value) ? value : 'FAULT_UNKNOWN')),
  message: z.string(),
  remedy: z.string(),
  says: Says.optional(),
  /** When trying again may help, in Unix milliseconds (rate limits). */
  retryAt: Moment.optional(),
  /** What the person can choose instead, where there is a choice. */
  choices: z.array(z.string()).optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** An error as an HTTP answer: `error` is the message once more, by the name that clients of `/agent` read. */
export const RefusalBody = ErrorBody.extend({ error: z.string() });
export type RefusalBody = z.infer<typeof RefusalBody>;

/**
 * The one error type thrown across rooms. `detail` says which file, which tool, which argument: what Pilotfish says to a person of it is
 * `Said`, foreign words and what only a model or a program reads are texts.
 */
export class CompanionError extends Error {
  readonly #says: Says;
  readonly code: ErrorCode;
  /** The message without what its code says of itself. */
  readonly detail: string;
  readonly remedy: string;
  readonly retryAt: number | undefined;
  readonly choices: readonly string[];

  constructor(
    code: ErrorCode,
    detail: string | Said = '',
    options?: { cause?: unknown; remedy?: string | Said; retryAt?: number; choices?: readonly string[] },
  ) {
    const kind = ERRORS[code];
    const text = textOf(detail);
    const remedy = options?.remedy;
    super(text === '' ? kind.message : `${kind.message} ${text}`, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CompanionError';
    this.code = code;
    this.detail = text;
    this.remedy = remedy === undefined ? kind.remedy : textOf(remedy);
    this.#says = {
      ...(typeof detail === 'string' ? {} : { detail }),
      ...(remedy === undefined || typeof remedy === 'string' ? {} : { remedy }),
    };
    this.retryAt = isMoment(options?.retryAt) ? options.retryAt : undefined;
    this.choices = options?.choices ?? [];
  }

  /** The HTTP status a door answers with. */
  get status(): number {
    return ERRORS[this.code].status;
  }

  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      remedy: this.remedy,
      ...(Object.keys(this.#says).length === 0 ? {} : { says: this.#says }),
      ...(this.retryAt === undefined ? {} : { retryAt: this.retryAt }),
      ...(this.choices.length === 0 ? {} : { choices: [...this.choices] }),
    };
  }
}

const textOf = (said: string | Said): string => (typeof said === 'string' ? said : said.text);

/** An error that is said in other words than those of its code. */
export const errorSaying = (code: ErrorCode, message: Said, remedy: Said): ErrorBody => ({
  code,
  message: message.text,
  remedy: remedy.text,
  says: { message, remedy },
});

/** The same error with another thing to do. */
export const withRemedy = (error: ErrorBody, remedy: Said): ErrorBody => ({
  ...error,
  remedy: remedy.text,
  says: { ...error.says, remedy },
});

/** A client whose model goes on after that would make the call again if it were told no more than that it was cancelled. */
export const stoppedByUser = (): CompanionError =>
  new CompanionError('CALL_CANCELLED', 'The user stopped it.', { remedy: ERRORS.CONSENT_DENIED.remedy });

/** Rebuilds the error that another process sent. */
export const fromErrorBody = (body: ErrorBody): CompanionError => new ReceivedError(body);

class ReceivedError extends CompanionError {
  readonly #received: Says | undefined;

  constructor(body: ErrorBody) {
    const { remedy, says, retryAt, choices = [] } = body;
    super(body.code, '', { remedy, choices, ...(retryAt === undefined ? {} : { retryAt }) });
    this.message = body.message;
    this.#received = says;
  }

  override toBody(): ErrorBody {
    return { ...super.toBody(), ...(this.#received === undefined ? {} : { says: this.#received }) };
  }
}

/** Any thrown value as a body for the wire, without its stack; what is neither a CompanionError nor a fault of the disk becomes `INTERNAL`. */
export const toErrorBody = (error: unknown): ErrorBody => toCompanionError(error).toBody();

const toCompanionError = (error: unknown): CompanionError => {
  if (error instanceof CompanionError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const fault = diskFaultOf(error);
  if (fault !== null)
    return new CompanionError('DISK_FAILED', explainLink('with_words', { what: fault.cause, words: reason }), { remedy: fault.remedy });
  const [detail, remedy] = error instanceof Error && 'what' in error && 'remedy' in error ? [error.what, error.remedy] : [];
  return isSaid(detail) && isSaid(remedy) ? new CompanionError('DISK_FAILED', detail, { remedy }) : new CompanionError('INTERNAL', reason);
};
