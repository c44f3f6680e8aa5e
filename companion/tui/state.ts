/** Everything the terminal UI shows, as one value. Views draw it, commands make the next one, effects.ts alone does I/O. */
import type { Seen } from '#display/attention.ts';
import type { OwnSettings, SettingName } from '#display/settings.ts';
import type { Admission } from '#protocol/admission.ts';
import type { Project, SessionSummary } from '#protocol/api.ts';
import type { AuditReport } from '#protocol/audit.ts';
import type { BrowserInfo } from '#protocol/browser.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { FileChange } from '#protocol/items.ts';
import type { ItemId, ProjectId, RequestId, SessionId } from '#protocol/ids.ts';
import type { SearchAnswer } from '#protocol/search.ts';
import type { BrowserSetup, ExtensionSetup, Finding } from '#protocol/setup.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Changes, HunkPlace, FinishAction, Worktree } from '#protocol/work.ts';
import type { Warning } from '#protocol/warnings.ts';
import type { Draft } from './editing.ts';
import type { Area, ManageOrder } from './manage.ts';
import { type Language } from './say.ts';
import type { Place } from './views/parts.ts';

/** The lists in the order in which they stand, are walked through and are numbered. */
export const listNames = ['sessions', 'projects', 'engines', 'browsers'] as const;
export type ListName = (typeof listNames)[number];

export type Focus = ListName | 'main' | 'request' | 'composer';

export const tabNames = ['conversation', 'diff', 'logs'] as const;
export type Tab = (typeof tabNames)[number];

/** One row to pick; `disabledReason` says why it cannot be picked. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly detail: string;
  /** What the person set, to be changed in a line. */
  readonly typed?: string;
  readonly disabledReason?: string;
}

/** What a picker is for: the command that runs with the picked value. */
export type PickerPurpose =
  | 'command'
  | 'worktree'
  | 'taken'
  | 'engine'
  | 'absent'
  | 'project'
  | 'move'
  | 'model'
  | 'mode'
  | 'effort'
  | 'setting'
  | 'manage'
  | 'theme'
  | 'recent'
  | 'language'
  | 'file'
  | 'slash';

/** What a path of a folder is typed for: a new project, or one that was moved. */
export type FolderPurpose = 'project' | 'project.move';

/** What a one-line input is for. */
export type InputPurpose = 'filter' | FolderPurpose | 'project.rename' | 'rename' | 'attach' | 'denial' | 'managed' | SettingName;

/** Answers a question of the agent, one question after the other. */
export interface QuestionForm {
  readonly requestId: RequestId;
  readonly index: number;
  readonly row: number;
  readonly chosen: readonly string[];
  /** The user's own words, written in the last row. */
  readonly draft: Draft;
  readonly answers: Readonly<Record<string, string[]>>;
}

/** What covers the main pane and takes the keys until it is closed. */
export type Overlay =
  | { readonly type: 'help'; readonly top: number }
  | { readonly type: 'guide'; readonly top: number }
  | { readonly type: 'engine'; readonly name: string }
  /** The report is null until it is read. */
  | { readonly type: 'audit'; readonly top: number; readonly report: AuditReport | null }
  /** The change is null until it is read; the index is that of the selected file. */
  /** `part` is the selected part of the selected file; null selects all of it. */
  | {
      readonly type: 'changes';
      readonly top: number;
      readonly index: number;
      readonly part: number | null;
      readonly report: FolderChange | null;
    }
  | { readonly type: 'admission'; readonly id: string }
  /** The answer is that to what was typed last; null before the first. */
  | { readonly type: 'search'; readonly draft: Draft; readonly index: number; readonly answer: SearchAnswer | null }
  | {
      readonly type: 'picker';
      readonly purpose: PickerPurpose;
      readonly title: string;
      readonly choices: readonly Choice[];
      readonly index: number;
      readonly filter: string;
      /** The engine that was chosen already, while the project is being chosen. */
      readonly engine: string | null;
      /** Which of the lists to manage it is. */
      readonly area?: Area;
    }
  | {
      readonly type: 'input';
      readonly purpose: InputPurpose;
      readonly title: string;
      readonly draft: Draft;
      /** The project that it changes. */
      readonly project?: Project;
      /** For which row of a list to manage it is; what is secret is not shown. */
      readonly managed?: { readonly area: Area; readonly field: string; readonly isSecret: boolean };
    }
  | { readonly type: 'question'; readonly form: QuestionForm }
  | { readonly type: 'confirm'; readonly text: string; readonly effect: Effect };

/** A file that was sent and goes along with the next message. */
export interface Attached {
  readonly uploadId: string;
  readonly name: string;
}

/** What is to be done outside: by the client, the installer or the terminal. */
export type Effect =
  | { readonly type: 'session.open'; readonly sessionId: SessionId | null }
  | { readonly type: 'session.create'; readonly engine: string; readonly projectId: string | null; readonly model?: string }
  | { readonly type: 'session.delete' | 'session.restore'; readonly sessionId: SessionId }
  | {
      readonly type: 'session.update';
      readonly sessionId: SessionId;
      readonly change: {
        name?: string;
        projectId?: ProjectId;
        model?: string | null;
        mode?: string | null;
        effort?: string | null;
        isPinned?: boolean;
        isArchived?: boolean;
      } & Partial<OwnSettings>;
    }
  | {
      readonly type: 'turn.start';
      readonly sessionId: SessionId;
      readonly text: string;
      readonly delivery: 'queue' | 'steer';
      /** What the person has chosen for a folder in which another agent works; without it they are asked. */
      readonly ifTaken?: 'queue' | 'anyway';
      readonly attached?: readonly Attached[];
    }
  /** Goes on in another session, in a worktree of its own. */
  | { readonly type: 'session.apart'; readonly sessionId: SessionId; readonly text: string; readonly attached?: readonly Attached[] }
  | { readonly type: 'file.attach'; readonly sessionId: SessionId; readonly path: string }
  | { readonly type: 'worktree.finish'; readonly sessionId: SessionId; readonly action: FinishAction }
  | { readonly type: 'turn.cancel'; readonly sessionId: SessionId; readonly turnId: string | null }
  | { readonly type: 'task.stop'; readonly sessionId: SessionId; readonly itemId: ItemId }
  | { readonly type: 'task.read'; readonly sessionId: SessionId; readonly itemId: ItemId }
  | {
      readonly type: 'request.answer';
      readonly sessionId: SessionId;
      readonly requestId: RequestId;
      readonly answer: { optionId: string; text?: string; answers?: Record<string, string[]> };
    }
  /** After a moment, lets the keys of a new request answer it from the composer too. */
  | { readonly type: 'request.watch'; readonly requestId: RequestId }
  | { readonly type: 'project.add'; readonly rootPath: string }
  | { readonly type: 'project.remove'; readonly projectId: string }
  | { readonly type: 'project.change'; readonly project: Project; readonly change: { readonly name?: string; readonly rootPath?: string } }
  | { readonly type: 'folder.pick' }
  | { readonly type: 'folders.read'; readonly typed: string }
  | { readonly type: 'engines.refresh'; readonly name: string | null }
  /** Runs a command that mends an agent in the person's terminal, and looks at the agent again. */
  | { readonly type: 'engine.fix'; readonly name: string; readonly line: string }
  | { readonly type: 'audit.read' }
  | { readonly type: 'files.read'; readonly projectId: ProjectId }
  | { readonly type: 'changes.read'; readonly sessionId: SessionId }
  /** `paths` has the old name of a file that was renamed, too. */
  | {
      readonly type: 'changes.stage';
      readonly sessionId: SessionId;
      readonly file: string;
      readonly paths: readonly string[];
      readonly isStaged: boolean;
    }
  | {
      readonly type: 'changes.revert';
      readonly sessionId: SessionId;
      readonly file: string;
      readonly paths: readonly string[];
      /** Only this part of the file. */
      readonly hunk?: HunkPlace;
    }
  | { readonly type: 'theme'; readonly name: string }
  | { readonly type: 'language'; readonly language: Language }
  /** Searches for what is typed; nothing is asked for an empty text. */
  | { readonly type: 'search'; readonly query: string }
  | { readonly type: 'admission.decide'; readonly id: string; readonly isAllowed: boolean }
  | { readonly type: 'manage.read'; readonly area: Area }
  /** Changes something, and reads the list again. */
  | { readonly type: 'manage.do'; readonly area: Area; readonly order: ManageOrder }
  | { readonly type: 'setup.install' }
  | { readonly type: 'setup.check' }
  | { readonly type: 'logs.save'; readonly lines: readonly string[] }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'mouse'; readonly isOn: boolean }
  /** Calls a person who looks elsewhere. */
  | { readonly type: 'bell' }
  | { readonly type: 'suspend' }
  | { readonly type: 'quit' };

/** What has changed in a session's folder. */
export interface FolderChange {
  readonly files: readonly {
    readonly file: string;
    /** Its name, with the old one when it was renamed. */
    readonly paths: readonly string[];
    /** What happened to it, with its counts. */
    readonly line: string;
    /** Null where its lines are not shown. */
    readonly change: FileChange | null;
    /** Whether there are more lines than these. */
    readonly isCut: boolean;
  }[];
  readonly worktree: Worktree | null;
  readonly since: Changes['since'];
  /** The state with which it was read: a part of it is named with that. */
  readonly now: string;
}

/** From which level on the lines of the log are shown. */
export const logLevels = ['all', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** A line of the daemon's log, cleaned. */
export interface LogLine {
  readonly level: string;
  readonly text: string;
}

/** A message for the user, which disappears with the next key. */
export interface Notice {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly remedy: string | null;
  /** What it tells of, with which it goes: a request, or a turn that the next Escape stops. */
  readonly isOf?: 'request' | 'stop';
}

export interface TuiState {
  readonly size: { readonly columns: number; readonly rows: number };
  /** The connection to the daemon. */
  readonly link: 'connecting' | 'live' | 'reconnecting';
  readonly projects: readonly Project[];
  readonly engines: readonly EngineInfo[];
  /** Whether the daemon has told what there is. */
  readonly isListed: boolean;
  readonly sessions: readonly SessionSummary[];
  /** What the person has seen of each session here. What ended before this terminal UI was started is not news. */
  readonly seen: Seen;
  readonly browsers: readonly BrowserInfo[];
  /** Browsers and programs that have come, decided about or not. */
  readonly admissions: readonly Admission[];
  readonly browserSetups: readonly BrowserSetup[];
  readonly extension: ExtensionSetup | null;
  /** How the person's shell starts Pilotfish. */
  readonly command: string;
  /** Results of the live check; null when it did not run, 'running' while it runs. */
  readonly checks: readonly Finding[] | 'running' | null;
  /** Key of the selected row of each list; null selects the first. */
  readonly selected: Readonly<Record<ListName, string | null>>;
  readonly session: SessionView | null;
  /** The request that is shown. Its keys answer it once a person could see it; one that is the next came in the place of another. */
  readonly card: { readonly requestId: RequestId; readonly isArmed: boolean; readonly isNext: boolean; readonly top: number } | null;
  /** Whether the last key was an Escape after which the next one stops the turn. */
  readonly isStopAsked: boolean;
  readonly focus: Focus;
  readonly tab: Tab;
  /** The first line that is shown; null follows the end. */
  readonly scroll: Readonly<Record<Tab, Place | null>>;
  readonly filters: Readonly<Partial<Record<ListName | Tab, string>>>;
  /** Unsent text, by session. */
  readonly drafts: Readonly<Record<string, Draft>>;
  /** What goes along with the next message, by session. */
  readonly attached: Readonly<Record<string, readonly Attached[]>>;
  /** The session that was deleted last, which can be brought back for a while. */
  readonly deleted: SessionId | null;
  /** Prompts sent from here, newest last, for the up key. */
  readonly sent: readonly string[];
  readonly isExpanded: boolean;
  /** What running background tasks have written so far, by item. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly overlay: Overlay | null;
  readonly logs: readonly LogLine[];
  readonly logLevel: LogLevel;
  /** Long lines of the log go on in the next row. */
  readonly isLogWrapped: boolean;
  /** Nothing outside the terminal UI is changed by it. */
  readonly isReadOnly: boolean;
  /** Messages of the daemon for a person, for instance that there is no keychain, or that a port was taken. */
  readonly warnings: readonly Warning[];
  readonly notice: Notice | null;
  /** The keys of the newest notifications for which the bell has rung. */
  readonly rung: readonly string[];
  readonly isMouseOn: boolean;
  /** The main pane has the whole screen. */
  readonly isZoomed: boolean;
  /** What was copied last. */
  readonly copied: string | null;
}

/** Where a diff is read from. */
export const beginning: Place = { key: '0', line: 0 };

/** The state before anything is known. */
export const initialState: TuiState = {
  size: { columns: 80, rows: 24 },
  link: 'connecting',
  projects: [],
  engines: [],
  isListed: false,
  sessions: [],
  seen: {},
  browsers: [],
  admissions: [],
  browserSetups: [],
  extension: null,
  command: 'pilotfish',
  checks: null,
  selected: { projects: null, engines: null, sessions: null, browsers: null },
  session: null,
  card: null,
  isStopAsked: false,
  focus: 'sessions',
  tab: 'conversation',
  scroll: { conversation: null, diff: beginning, logs: null },
  filters: {},
  drafts: {},
  attached: {},
  deleted: null,
  sent: [],
  isExpanded: false,
  outputs: new Map(),
  overlay: null,
  logs: [],
  logLevel: 'all',
  isLogWrapped: false,
  isReadOnly: false,
  warnings: [],
  notice: null,
  rung: [],
  isMouseOn: true,
  isZoomed: false,
  copied: null,
};

/** Whether the agent of the shown session takes a message while it works. */
export const canSteer = ({ session, engines }: TuiState): boolean =>
  engines.find(({ name }) => name === session?.engine)?.capabilities.canSteer === true;

/** What goes along with the next message of a session. */
export const attachedTo = ({ attached }: TuiState, sessionId: SessionId): readonly Attached[] => attached[sessionId] ?? [];

/** What a command leads to. */
export interface Outcome {
  readonly state: TuiState;
  readonly effects: readonly Effect[];
}

/** An outcome without effects unless some are given. */
export const outcome = (state: TuiState, ...effects: Effect[]): Outcome => ({ state, effects });
