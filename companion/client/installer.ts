/** The registering half of the installer as the command line and the terminal UI see it; app.ts hands it to them. */
import type { BrowserSetup, Check, ExtensionSetup, InstallReport, ServiceReport, ServiceStatus, UninstallReport } from '#protocol/setup.ts';

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
  /** The daemon as a service of the login. */
  readonly service: {
    /** Has it start with the next login; `lingers` keeps it after the person logged out, where the system can. */
    install(options: { lingers: boolean }): ServiceReport;
    /** Starts it now; what the system said against it, or nothing. */
    start(): string[];
    remove(): string[];
    status(): ServiceStatus;
  };
  /** Checks everything up to a live exchange with the host; the caller checks what only the daemon knows. */
  doctor(signal: AbortSignal): Promise<Check[]>;
  /** Mends what can be mended without asking: rights of our own files, and everything `install` writes. What was done, a sentence each. */
  mend(): string[];
}
