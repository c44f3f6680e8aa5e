/** The registering half of the installer as the command line and the terminal UI see it; app.ts hands it to them. */
import type { BrowserSetup, Check, ExtensionSetup, InstallReport, UninstallReport } from '#protocol/setup.ts';

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
  /** Checks everything up to a live exchange with the host; the caller checks what only the daemon knows. */
  doctor(signal: AbortSignal): Promise<Check[]>;
}
