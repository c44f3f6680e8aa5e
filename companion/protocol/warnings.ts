/** What a person should know and no list says: what is the matter, and what to do about it. */
import * as z from 'zod';
import { SaidSchema } from './said-schema.ts';
import { asItCame, sayingOf } from './said.ts';

export const Warning = z.object({ what: SaidSchema, remedy: SaidSchema.optional() });
export type Warning = z.infer<typeof Warning>;

/** A warning as one English text; it is known again by this. */
export const warningText = ({ what, remedy }: Warning): string => (remedy === undefined ? what.text : `${what.text} ${remedy.text}`);

/** Warnings as they travel: the English texts, and beside them what they are made of. */
export const toldAs = (warnings: readonly Warning[]): { warnings: string[]; told: Warning[] } => ({
  warnings: warnings.map(warningText),
  told: [...warnings],
});

/** The warnings of such a message; one of an earlier version has texts alone. */
export const warningsIn = ({
  warnings,
  told,
}: {
  warnings: readonly string[];
  told?: readonly Warning[] | undefined;
}): readonly Warning[] => told ?? warnings.map((text) => ({ what: asItCame(text) }));

export const WARNINGS = {
  // The history.
  history_held: 'The history cannot be written: what agents say waits until the disk has space again.',
  history_later:
    '{file} was written by a later pilotfish (its schema is {version}, this one knows {known}): the history can be read and nothing is changed in it.',
  update_pilotfish: 'Update pilotfish.',
  history_damaged:
    'The history was damaged ({damage}). The old file is kept as {file}; {events} events of {sessions} sessions were brought over.',
  history_gone: 'The history is gone: {file} held {sessions} sessions and was deleted or emptied.',
  put_back: 'Stop pilotfish and put a copy of it back, or go on without it.',
  entries_missing:
    'The history is shorter than it was: {entries} entries are missing. {file} or the log beside it was cut, deleted or replaced by an older copy, or the computer lost power.',
  sessions_missing:
    'The history is shorter than it was: {entries} entries and {sessions} sessions are missing. {file} or the log beside it was cut, deleted or replaced by an older copy, or the computer lost power.',
  project_damaged: 'A project in the list of projects was damaged on disk and is left out.',
  permission_damaged: 'A permission was damaged on disk and does not count any more.',
  session_damaged: 'The entry of session {id} in the list of sessions was damaged on disk.',
  entry_damaged: 'An entry of session {id} was damaged on disk and is left out.',
  entries_stray: 'Part of the history belongs to no session any more: the file was damaged.',

  // Settings and secrets.
  settings_unreadable: '{file} could not be read ({reason}); the defaults are used.',
  settings_invalid: '{file} was not valid JSON; it is kept as {aside} and the defaults are used.',
  setting_wrong: '{file}: "{key}" is not valid ({reason}); its default is used.',
  vault_unreadable: '{file} could not be read ({reason}); the keys in it are not used.',
  vault_invalid: '{file} was not valid; it is kept as {aside}, and the keys in it have to be entered again.',
  secret_in_file: 'This system has no usable keychain: a secret is kept in {file}, readable by you only but not encrypted.',
  secrets_in_file: 'This system has no usable keychain: {count} secrets are kept in {file}, readable by you only but not encrypted.',
  mend_and_enter: '{remedy} A key that is entered again then goes into the keychain.',
  old_secrets_left: 'The keychain still holds what {names} was before: it neither took the new value nor removed the old one.',
  mend_then_enter: '{remedy} Then enter it again.',
  secret_not_given: 'The keychain did not give a stored key, so the agent that needs it may not be logged in.',
  install_libsecret: 'Install libsecret (libsecret-1-0 on Debian and Ubuntu, libsecret on Fedora and Arch).',
  install_keyring: 'No program keeps secrets here: install gnome-keyring, or KWallet on KDE, and log in again.',
  start_desktop:
    'There is no desktop session (a server, a container, SSH). Where that is meant to be, nothing is to be done; else start the session with `dbus-run-session` and a gnome-keyring-daemon that is unlocked, and run `pilotfish stop` in it.',
  unlock_keychain: 'It is locked: unlock it (on Linux in "Passwords and Keys" or KWallet, on macOS with `security unlock-keychain`).',
  make_keyring: 'It has no collection yet: make the one named "Login" in "Passwords and Keys", or log in to the desktop with a password.',
  needs_keyring: 'It needs libsecret and a running gnome-keyring or KWallet that is unlocked.',
  unlock_on_macos: 'Unlock it with `security unlock-keychain`.',
  start_credentials: 'Start the service "Credential Manager".',
  see_logs: 'See `pilotfish logs`.',

  // Worktrees.
  worktree_left: 'A worktree that no session has was left as it is: {folder} ({why}).',
  take_out_and_remove: 'Take out of it what you need, then remove it with git.',
  no_folder: 'it is no folder',
  no_repository: 'files without a repository',
  locked: 'it is locked',
  under_way: 'a merge or the like that is not finished',
  no_commit: 'no commit',
  own_repository: 'a repository of its own in it',
  submodule_work: 'a submodule with work of its own',
  uncommitted: 'changes that are not committed',
  lonely_commits: 'commits that are on no branch',

  // Browsers and their tools.
  tools_unknown: 'A browser extension brings tools that this Pilotfish does not know, each call of them is asked: {tools}.',
  install_if_one: 'Run `pilotfish install` if you have updated only one of the two.',
  built_tools_changed: 'The browser tools are not the ones of the last session: {changes}.',
  doctor_unless_updated: 'If you have not updated Pilotfish since, run `pilotfish doctor`.',
  foreign_tools_changed: 'Tools that a browser extension brings are not the ones of the last session: {changes}.',
  remove_unless_updated: 'If you have not updated the extension since, remove it and run `pilotfish install`.',
  tools_new: 'new {tools}',
  tools_changed: 'changed {tools}',
  tools_gone: 'gone {tools}',

  // Who comes.
  callers_unknown:
    'This system does not tell where a process comes from: an agent that may run commands can also run `pilotfish` in your name.',
  browser_waits: 'The browser {who} waits for you.',
  allow_browser: 'Press "Allow" in its side panel, or run `pilotfish browsers allow {id}`.',
  stranger_waits: 'A program that is no known browser wants to be one: {who}.',
  allow_stranger: 'Only if it is yours: `pilotfish browsers allow {id}`.',
  comer: '"{name}" ({program}, process {pid})',
  program_not_told: 'the system does not tell which program',
  not_known: 'unknown',
  wrong_tokens: 'A program on this machine tried many wrong tokens on the local port. They were refused; `pilotfish logs` has the times.',
} as const;

/** Says one of the sentences of warnings. */
export const warn = /* @__PURE__ */ sayingOf(WARNINGS);
