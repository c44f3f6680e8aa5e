/** The registering half of the installer as the command line and the terminal UI see it; app.ts hands it to them. */
import type {
  BrowserSetup,
  ExtensionSetup,
  Finding,
  InstallReport,
  ServiceReport,
  ServiceStatus,
  SystemInstallReport,
  UninstallReport,
} from '#protocol/setup.ts';

/** A package to update from that is what its maker has signed. */
interface Release {
  readonly name: string;
  readonly content: Buffer;
}

/** The way from the executable in use to a new one, and back. */
interface Exchange {
  /** The executable of before. */
  readonly old: string;
  /** The folder with the data of before. */
  readonly backup: string;
  /** Unpacks the release and asks it for its version; null when it is the executable in use. */
  prepare(release: Release, signal: AbortSignal): Promise<string | null>;
  /** Keeps the data as they are, and brings them back. They are whole when no daemon has run meanwhile. */
  keepData(): void;
  restoreData(): void;
  /** Keeps the executable of before and puts the new one in its place, and the other way round. */
  putIn(version: string): void;
  putBack(): void;
  /** Whether a new executable has the place and the one of before is there. */
  isIn(): boolean;
  /** What has the place now keeps it: nobody goes back any more. */
  settle(): void;
  /** Removes what was unpacked and not put in place. */
  drop(): void;
}

interface LiveBrowser {
  /** Resolves with its version. */
  start(program: string, signal: AbortSignal): Promise<string>;
  /** Resolves with the id of the extension. */
  loadExtension(signal: AbortSignal): Promise<string>;
  /** Ends it and everything that it has started. */
  close(): Promise<void>;
}

export interface Installer {
  /** Changes nothing. */
  browsers(): BrowserSetup[];
  /** How the person's shell starts this executable: its name, or its path as long as the name does not lead to it. */
  command(): string;
  /** Changes nothing. */
  extension(): ExtensionSetup;
  /** `userDataDir` registers for one Chromium profile folder of the caller's choice beside the browsers found. */
  install(options: { userDataDir?: string }): InstallReport;
  uninstall(options: { purge: boolean }): UninstallReport;
  /** What browsers read for all users of this machine; the administrator's to change. */
  readonly system: {
    install(): SystemInstallReport;
    uninstall(): UninstallReport;
  };
  /** The daemon as a service of the login. */
  readonly service: {
    /** Has it start with the next login; `lingers` keeps it after the person logged out, where the system can. */
    install(options: { lingers: boolean }): ServiceReport;
    /** Starts it now; what the system said against it, or nothing. */
    start(): string[];
    /** Stops it until it is started again; whether there was one. */
    stop(): boolean;
    remove(): string[];
    status(): ServiceStatus;
  };
  readonly update: {
    /** Reads a package and checks it; `key` is a public key in PEM to check it with, null for the one that is built in. */
    read(from: string, options: { key: string | null; signal: AbortSignal }): Promise<Release>;
    exchange(): Exchange;
    /** The update whose new version is not known to work yet: one that goes on, or was cut off. */
    trial(): { readonly version: string; readonly isCutOff: boolean; readonly exchange: Exchange } | null;
  };
  /** A browser without a window, for one drive along the whole chain. */
  readonly live: {
    find(): { name: string; program: string } | null;
    /** Everything of it is below `folder`, which its host takes for the home of Pilotfish. */
    open(folder: string): LiveBrowser;
  };
  /** Checks everything up to a live exchange with the host; the caller checks what only the daemon knows. */
  doctor(signal: AbortSignal): Promise<Finding[]>;
  /** Mends what can be mended without asking: rights of our own files, and everything `install` writes. What was done, a sentence each. */
  mend(): string[];
}
