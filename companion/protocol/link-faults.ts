/**
 * What fails on the way from a person to the daemon: the disk, the start, the native messaging host, the link. It is told beside the words
 * of an error's code. Free of zod, because the host says it too.
 */
import { sayingOf } from './said.ts';

export const LINK_FAULTS = {
  // The disk: what to do.
  free_disk: 'Free disk space; what was acknowledged is safe.',
  free_disk_at: 'Free disk space where {folder} lies; what was acknowledged is safe.',
  go_elsewhere: 'Go to another folder (`cd`), then start pilotfish again.',
  make_writable: 'Make it writable again: a system does this to a disk that reports faults. Or set PILOTFISH_HOME to a folder elsewhere.',
  check_rights: 'Check the rights of its folder, or set PILOTFISH_HOME to a folder of your own.',
  check_rights_of: 'Check the rights of {folder}, or set PILOTFISH_HOME to a folder of your own.',
  close_holder: 'Close the program that has opened it (a backup, a database viewer), then try again.',
  close_programs: 'Close other programs, or raise the limit of open files (ulimit -n), then start pilotfish again.',
  check_disk: 'Check the disk, and save a copy of that folder.',
  move_away_and_start: 'Move what stands there away, or set PILOTFISH_HOME to a folder of your own, then start pilotfish again.',

  // The program and what is between it and the browser: what to do.
  make_folder_writable: 'Make that folder writable, or set PILOTFISH_HOME to one that is.',
  run_doctor: 'Run `pilotfish doctor`.',
  move_folder_away: 'Move {folder} away, or set PILOTFISH_HOME to a folder of your own.',
  remove_or_set_home: 'Remove it, or set PILOTFISH_HOME to a folder of your own.',
  see_log_above: 'See the log named above, then run `pilotfish doctor`.',
  see_file: 'See {file}, then run `pilotfish doctor`.',
  end_programs:
    'End programs that you do not need, or raise the limits (`ulimit -u`, `ulimit -v`, those of a container), then run `pilotfish doctor`.',
  start_browser_yourself: 'Start the browser yourself, from the desktop or a terminal that no agent has opened.',
  update_both: 'Update the extension and pilotfish to the same version.',

  // The disk.
  with_words: '{what} ({words})',
  disk_full: 'The disk is full.',
  disk_read_only: 'The disk can only be read.',
  disk_read_only_at: 'The disk of {file} can only be read.',
  file_forbidden: 'A file cannot be written or read by you.',
  file_forbidden_at: '{file} cannot be written or read by you.',
  file_held: 'Another program holds a file.',
  file_held_at: 'Another program holds {file}.',
  too_many_open: 'Too many files are open.',
  disk_fault_at: 'The disk reports a fault at {file}.',
  disk_fault: 'The disk reports a fault.',
  folder_gone: 'The folder in which pilotfish was started is gone.',
  path_wrong: 'A path is not what it should be: a file stands where a folder is needed, or the other way round.',
  path_wrong_at: '{file} is not what it should be: a file stands where a folder is needed, or the other way round.',

  // The program and what is between it and the browser.
  daemon_refused_browser: 'The daemon refused this browser: an agent has started it, or it belongs to another user.',
  not_users_daemon: "What answers on {socket} is not this user's daemon.",
  link_refused: 'The daemon on {socket} refused the link with status {status}.',
  place_is_link: '{place} is a symbolic link (to {target}).',
  place_not_folder: '{place} is not a folder.',
  place_not_plain: '{place} is not a plain file.',
  place_of_other: '{place} belongs to another user.',
  put_real_folder: 'Put a real folder in its place, or set PILOTFISH_HOME to the folder itself: {folder}.',
  frame_too_large: 'A message on the link was too large: {bytes} bytes.',
  host_failed: 'The native messaging host failed. {words}',
  log_is: 'Its log is {file}.',
  ended_at_start: 'It was ended by {signal} while it started: the system refuses it memory, or threads and processes.',
  folder_not_writable: '{folder} cannot be written: {words}.',
} as const;

/** Says what failed on the way, or what to do about it. */
export const explainLink = /* @__PURE__ */ sayingOf(LINK_FAULTS);
