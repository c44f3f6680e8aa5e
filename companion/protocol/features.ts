/** What a daemon can do, as names that clients look for. A name is never given a second meaning: other behaviour gets another name. */
import * as z from 'zod';

export const features = [
  // A stream may be opened before the first prompt makes its session, which then has the id that the client chose.
  'chosen_session_id',
  // A one-time ticket in the query opens a stream; it is bound to the address of that stream.
  'stream_ticket',
  // The WebSocket of a session takes prompts, and ends with the turn unless it is asked to stay.
  'websocket_prompt',
  // The place of an entry in the stream of patches is never given to another one.
  'stable_entries',
  // A message or prompt that is sent twice with one id is one.
  'idempotent_prompt',
  // A prompt may name another folder in which agents may work.
  'prompt_folder',
  // A session goes on in another one, with another agent if one is named; a prompt that names one does so by itself.
  'session_fork',
  // A deleted session can be brought back for an hour.
  'session_restore',
  // What the person has looked at is known on every surface: `seenAt`.
  'session_seen',
  'session_archive',
  'session_pin',
  // The files of a project are listed, to be named in a prompt.
  'project_files',
  // Everything that was said or run is found by its words.
  'search',
  // A session may work in a worktree that is made for it, which is merged, kept as a branch or discarded.
  'session_worktree',
  // What a session has changed, by file, and the states of its folder that can be gone back to.
  'session_changes',
  'session_checkpoints',
  // A prompt may wait for, or be refused because of, another session in its folder: `ifTaken`.
  'folder_taken',
  // A conversation is read in parts, the newest first.
  'session_page',
  // What turns have used is added up by turn, session, project, agent and day, and a limit stops a turn while it runs.
  'usage',
  // A session is exported as a file, and becomes a session again from it.
  'session_import',
  // A browser is an MCP server by frames: `mcp_register`, `mcp_message`, `mcp_unregister`, over native messaging or a WebSocket at `/link`.
  'client_mcp_over_ws',
  // What a person should be told who does not look comes over the stream of state, each thing once by its key.
  'notifications',
] as const;

export const Feature = z.enum(features);
