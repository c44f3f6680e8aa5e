/** The rooms of the code: what each is for and what it may import. The linter and docs/architecture.md are made from this table. */

export interface Room {
  /** One line for a reader. */
  readonly job: string;
  /** Rooms whose files it may import, beside itself. Arrows point downward only: a room never imports one that imports it. */
  readonly imports: readonly string[];
  /** Modules of Node that would give it I/O it must not have; `node:*` forbids them all. */
  readonly without?: readonly string[];
}

/** What every room of the companion may import. */
const base = ['companion/protocol', 'companion/lib'];

/** Bottom first: a room may import only rooms above its own line. */
export const rooms: Readonly<Record<string, Room>> = {
  'companion/protocol': {
    job: 'what the processes agree on: schemas, ids, commands, events, the fold `project()`, the contracts of the wires, errors',
    imports: [],
    without: ['node:*'],
  },
  'companion/display': {
    job: 'what panel and terminal both show: order of attention, titles, status texts, diff lines, durations, keys; pure',
    imports: ['companion/protocol'],
    without: ['node:*'],
  },
  'companion/stream': {
    job: 'one event stream that stays open and resumes, for panel and terminal; the connection is given',
    imports: ['companion/protocol'],
    without: ['node:*'],
  },
  'companion/lib': { job: 'paths, log, ids, framing; knows no room', imports: ['companion/protocol'] },
  'companion/reach': {
    job: "how another process comes to this user's daemon: starting it, why it did not start, the key and the proof of both ends; builtins only",
    imports: base,
  },
  'companion/host': { job: "Chrome's stdio door: framing and relay, builtins only", imports: [...base, 'companion/reach'] },
  'companion/process': {
    job: 'spawning in a group and ending the whole group, bounded line reader, login-shell environment, finding executables',
    imports: base,
  },
  'companion/store': { job: 'SQLite (events, sessions, projects), settings, secrets', imports: base },
  'companion/policy': { job: 'consent: origin × tool class × session → allow, ask, deny; pure', imports: base, without: ['node:*'] },
  'companion/admission': {
    job: 'which browsers and programs from outside the person has let in, and what they said about sites: what was decided, taking it back',
    imports: base,
  },
  'companion/browser': {
    job: 'the bridge: which browser a session works in, calls by id, waiting, cancelling',
    imports: [...base, 'companion/reach'],
  },
  'companion/engines': {
    job: 'an engine is a value: how to find and launch an agent, a pure codec from its lines to our events, honest capabilities',
    imports: base,
    without: ['node:child_process', 'node:fs', 'node:fs/promises'],
  },
  'companion/projects': { job: "the person's projects and the folders agents may work in", imports: [...base, 'companion/store'] },
  'companion/trust': {
    job: "what a project's own files would start, and whether the person agreed to it",
    imports: [...base, 'companion/engines', 'companion/store'],
  },
  'companion/runs': {
    job: 'a live agent: its process or loop, the warm pool, the watchdog, its files and terminals',
    imports: [...base, 'companion/engines', 'companion/process', 'companion/store', 'companion/projects', 'companion/trust'],
  },
  'companion/catalogue': {
    job: 'the agents of this machine: finding them, their health, their settings',
    imports: [...base, 'companion/engines', 'companion/process', 'companion/store', 'companion/projects', 'companion/runs'],
  },
  'companion/git': {
    job: "a person's git repository: worktrees, snapshots of a folder, what has changed, merging; nothing that a repository names is started",
    imports: [...base, 'companion/process'],
  },
  'companion/sessions': {
    job: 'session logs and decisions: `decide` turns commands and what an agent reports into events and effects',
    imports: [
      ...base,
      'companion/engines',
      'companion/process',
      'companion/store',
      'companion/projects',
      'companion/trust',
      'companion/catalogue',
      'companion/git',
      'companion/runs',
    ],
  },
  'companion/desktop': {
    job: "the person's desktop: a terminal, an editor and the folder dialog, from a fixed list and without a shell",
    imports: [...base, 'companion/process'],
  },
  'companion/toolsets': {
    job: 'the sets of tools that a client can ask for, and the names and arguments of another product for our tools; pure',
    imports: base,
    without: ['node:*'],
  },
  'companion/mcp': {
    job: 'the MCP server for both protocol eras, over HTTP and stdio; tokens; the caller that asks policy',
    imports: [...base, 'companion/policy', 'companion/admission', 'companion/browser', 'companion/sessions', 'companion/toolsets'],
  },
  'companion/proof': {
    job: 'what a turn has done to the elements that the person picked for it in a page of the project',
    imports: [...base, 'companion/browser', 'companion/sessions'],
  },
  'companion/compat': {
    job: 'the wire formats of existing clients: `RealtimeEvent`, JSON Patch, their field names; made from our views and events',
    imports: base,
  },
  'companion/server': {
    job: 'the gate, routes (commands in), streams (events out), the single-instance lock',
    imports: [
      ...base,
      'companion/reach',
      'companion/admission',
      'companion/browser',
      'companion/projects',
      'companion/trust',
      'companion/catalogue',
      'companion/desktop',
      'companion/sessions',
      'companion/mcp',
      'companion/proof',
      'companion/compat',
    ],
  },
  'companion/client': { job: "the daemon's API client, for tui and cli", imports: [...base, 'companion/reach', 'companion/stream'] },
  'companion/tui': { job: 'the terminal UI, a client', imports: [...base, 'companion/display', 'companion/client'] },
  'companion/cli': { job: 'the subcommands, clients', imports: [...base, 'companion/display', 'companion/client'] },
  'installer/register': {
    job: 'the half of the installer that runs inside the executable: browsers, extension, menu, doctor',
    imports: [...base, 'native-manifests'],
  },
  'extension/shared': { job: 'what several parts of the extension use', imports: ['companion/protocol'], without: ['node:*'] },
  'extension/content': {
    job: 'code that runs in pages; stands alone',
    imports: ['companion/protocol', 'extension/shared'],
    without: ['node:*'],
  },
  'extension/toolkit': {
    job: 'what tools are made of: the declaration, targets, receipts, results, the page as a tool sees it',
    imports: ['companion/protocol', 'extension/shared', 'extension/content'],
    without: ['node:*'],
  },
  'extension/tools': {
    job: 'the browser tools, one in a file; a tool exists nowhere else',
    imports: ['companion/protocol', 'extension/shared', 'extension/content', 'extension/toolkit'],
    without: ['node:*'],
  },
  'extension/background': {
    job: 'the service worker: listeners, the native port, the tool runner with a queue for each tab',
    imports: ['companion/protocol', 'extension/shared', 'extension/content', 'extension/toolkit', 'extension/tools'],
    without: ['node:*'],
  },
  'extension/sidepanel': {
    job: 'the side panel',
    imports: ['companion/protocol', 'companion/display', 'companion/stream', 'extension/shared'],
    without: ['node:*'],
  },
  'extension/options': {
    job: 'the settings: the options page, drawn with the pieces of the panel',
    imports: ['companion/protocol', 'companion/display', 'extension/shared', 'extension/sidepanel'],
    without: ['node:*'],
  },
  'extension/keeper': {
    job: 'a page without a window that starts the service worker again when it was stopped, and does for it what only a page can',
    imports: ['companion/protocol', 'extension/shared'],
    without: ['node:*'],
  },
};

/** Packages and built-in modules that belong to certain rooms, so that one file can be changed when one of them changes. */
export const owners: Readonly<Record<string, readonly string[]>> = {
  '@agentclientprotocol/sdk': ['companion/engines'],
  '@modelcontextprotocol/client': ['companion/mcp'],
  '@modelcontextprotocol/node': ['companion/mcp'],
  '@modelcontextprotocol/server': ['companion/mcp'],
  '@preact/signals': ['extension/sidepanel', 'extension/options'],
  '@tanstack/virtual-core': ['extension/sidepanel'],
  blessed: ['companion/tui'],
  'compare-versions': ['companion/process'],
  conf: ['companion/store'],
  confbox: ['companion/cli'],
  diff: ['companion/engines', 'companion/display'],
  'eventsource-parser': ['companion/stream'],
  'fast-json-patch': ['companion/compat', 'companion/server'],
  fastify: ['companion/server'],
  fuzzysort: ['companion/display'],
  'highlight.js': ['companion/display'],
  'jsonc-parser': ['companion/trust', 'companion/cli'],
  keytar: ['companion/store'],
  lucide: ['extension/sidepanel'],
  marked: ['companion/display', 'extension/sidepanel'],
  mermaid: ['extension/sidepanel'],
  'node:sqlite': ['companion/store'],
  'pkg-types': ['companion/projects'],
  preact: ['extension/sidepanel', 'extension/options'],
  temml: ['extension/sidepanel'],
  undici: ['companion/client', 'companion/engines'],
  ws: ['companion/server', 'companion/browser'],
};
