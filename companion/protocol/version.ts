/** Names, versions and limits that both processes and the extension agree on. Free of zod, so that the host stays tiny. */

/** Version of the executable and of the extension it carries; the build checks that package.json says the same. */
export const VERSION = '0.1.0';

/** Link protocol: `current` is what this build speaks, `oldest` the oldest it can still serve. Both ends send theirs in `hello`. */
export const PROTOCOL = { current: 2, oldest: 2 } as const;

/** Native messaging host name, as in the host manifest (Chrome: lower-case letters, digits, dots, underscores). */
export const HOST_NAME = 'com.pilotfish.host';

/** Fixed by the public key in extension/manifest.json. */
export const EXTENSION_ID = 'pgdlaadhmoiocfabflcddjfihdjegdoi';

/** The origin Chrome passes to the host as its one argument, and sends with every request of the panel. */
export const EXTENSION_ORIGIN = `chrome-extension://${EXTENSION_ID}`;

/** Loopback port when it is free; otherwise any free port is taken. */
export const DEFAULT_PORT = 56889;

/** The address that a client asks first, before it knows anything about the daemon. */
export const HEALTH_PATH = '/health';

/** Where the link to the extension begins, on the private socket and from another machine, and what both ends speak there. */
export const LINK_PATH = '/link';
export const LINK_PROTOCOL = 'pilotfish-link';

/** What both ends of an MCP client's line of calls speak there. */
export const CALL_LINE_PROTOCOL = 'pilotfish-calls';

/** Name of our MCP server in every generated client configuration, and where it is over HTTP. */
export const MCP_SERVER_NAME = 'pilotfish';
export const MCP_PATH = '/mcp';

/** Chrome closes the port on a host-to-extension message above 1 MiB (measured: 1,048,576 bytes pass). */
export const MAX_HOST_FRAME_BYTES = 1_048_576;

/** The frame by which a daemon that nobody needs takes leave: the one frame of the link that the host reads itself. */
export const RESTING_FRAME = '{"type":"resting"}';

/** Chrome refuses an extension-to-host message above 64 MiB; also our limit for one reassembled message. */
export const MAX_MESSAGE_BYTES = 67_108_864;
