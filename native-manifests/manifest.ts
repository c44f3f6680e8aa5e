/** The native messaging host manifest: what a browser reads to learn which program an extension may start. */
import { EXTENSION_ORIGIN, HOST_NAME } from '#protocol/version.ts';

export interface HostManifest {
  readonly name: string;
  readonly description: string;
  /** Absolute path of the executable: browsers refuse relative ones outside Windows. */
  readonly path: string;
  readonly type: 'stdio';
  readonly allowed_origins: readonly string[];
}

/** File name every browser expects: the host's name and `.json`. */
export const manifestFileName = `${HOST_NAME}.json`;

/** The manifest for `executable`. Exactly one origin, with its closing slash and no wildcard. */
const hostManifest = (executable: string): HostManifest => ({
  name: HOST_NAME,
  description: 'Pilotfish: coding agents in your browser',
  path: executable,
  type: 'stdio',
  allowed_origins: [`${EXTENSION_ORIGIN}/`],
});

/** The file's text. No byte order mark: Chrome does not find a host whose manifest begins with one. */
export const manifestText = (executable: string): string => `${JSON.stringify(hostManifest(executable), null, 2)}\n`;
