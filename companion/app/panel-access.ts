/** How a browser's side panel reaches the daemon: with a port and a token of its own, which it gets over the link. */
import type { BrowserId } from '#protocol/ids.ts';
import { VERSION } from '#protocol/version.ts';
import type { Tokens } from '#companion/mcp/tokens.ts';

export interface PanelWelcome {
  port: number;
  token: string;
  /** What the person should do when extension and program differ in age. */
  advice?: string;
}

export class PanelAccess {
  readonly #tokens: Pick<Tokens, 'issue' | 'revoke'>;
  readonly #port: () => number;
  /** The tokens, by the id of the admission, so that a browser that only claims to be this one does not void its token. */
  readonly #issued = new Map<string, string>();

  constructor(tokens: Pick<Tokens, 'issue' | 'revoke'>, port: () => number) {
    this.#tokens = tokens;
    this.#port = port;
  }

  /** A profile that connects again gets a new token, and its old one becomes void. */
  welcome({ browserId, extensionVersion }: { browserId: BrowserId; extensionVersion: string }, admissionId: string): PanelWelcome {
    const old = this.#issued.get(admissionId);
    if (old !== undefined) this.#tokens.revoke(old);
    const token = this.#tokens.issue({ type: 'panel', browserId, admissionId });
    this.#issued.set(admissionId, token);
    return { port: this.#port(), token, ...(extensionVersion === VERSION ? {} : { advice: adviceFor(extensionVersion) }) };
  }
}

/** Which of the two is older, and what brings it to the age of the other. */
const adviceFor = (extensionVersion: string): string =>
  extensionVersion.localeCompare(VERSION, 'en', { numeric: true }) < 0
    ? `The extension (${extensionVersion}) is older than the program (${VERSION}): run \`pilotfish install\`, then reload it at chrome://extensions.`
    : `The program (${VERSION}) is older than the extension (${extensionVersion}): run \`pilotfish update --from FILE\` with the newer package.`;
