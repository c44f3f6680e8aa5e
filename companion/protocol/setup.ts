/** What the registering half of the installer finds and does: the command line and the terminal UI show it. */
import type { ErrorBody } from './errors.ts';
import type { Said } from './said.ts';

/** One thing that was looked at. What is not ok says what to do. */
export interface Finding {
  readonly id: string;
  readonly title: Said;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: Said;
  readonly remedy?: Said;
  /** How long it took, where something else had to answer. */
  readonly ms?: number;
}

/** The same in English, as `pilotfish doctor` prints it. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly status: Finding['status'];
  readonly detail: string;
  readonly remedy?: string;
  readonly ms?: number;
}

/** A Chromium-family browser of this user and whether it knows our host. */
export interface BrowserSetup {
  readonly id: string;
  readonly name: string;
  /** How it was recognised: its profile folder, or its executable. */
  readonly evidence: string;
  /** Where it looks for our host manifest. */
  readonly manifestFile: string;
  readonly registration: 'registered' | 'missing' | 'wrong';
  /** What is wrong with the manifest, when it is. */
  readonly problem?: Said;
}

/** The unpacked extension, for "Load unpacked". */
export interface ExtensionSetup {
  readonly path: string;
  /** The version of the unpacked extension; null when there is none. */
  readonly version: string | null;
  readonly embeddedVersion: string | null;
  /** Whether it is byte for byte the extension that this executable contains. */
  readonly isCurrent: boolean;
}

export type StepState = 'written' | 'unchanged' | 'failed';

export interface InstallReport {
  readonly executable: string;
  /** The link that makes `pilotfish` a command of the person's shell; null where none is made. */
  readonly command: { readonly path: string; readonly state: StepState; readonly error?: ErrorBody } | null;
  readonly extension: { readonly path: string; readonly version: string | null; readonly state: StepState; readonly error?: ErrorBody };
  readonly browsers: readonly {
    readonly id: string;
    readonly name: string;
    readonly manifestFile: string;
    readonly state: StepState;
    readonly error?: ErrorBody;
  }[];
  /** The entry in the system's menu; null where this system has none. */
  readonly menuEntry: { readonly path: string; readonly state: StepState; readonly error?: ErrorBody } | null;
  readonly warnings: readonly Said[];
  /** Whether no check failed. */
  readonly isComplete: boolean;
}

/** What `install --system` wrote for all users of the machine. */
export interface SystemInstallReport {
  readonly executable: string;
  readonly manifests: readonly { readonly path: string; readonly state: StepState; readonly error?: ErrorBody }[];
  readonly isComplete: boolean;
}

export interface UninstallReport {
  readonly removed: readonly string[];
  /** What stays on purpose: the user's history and settings. */
  readonly kept: readonly string[];
  readonly failed: readonly { readonly path: string; readonly error: ErrorBody }[];
  readonly isComplete: boolean;
}

/** What was done so that the daemon starts with the login. `notes` says what the system refused. */
export interface ServiceReport {
  readonly file: string;
  readonly state: StepState;
  readonly notes: readonly string[];
}

export interface ServiceStatus {
  readonly file: string;
  readonly isInstalled: boolean;
  readonly isRunning: boolean;
}
