/** Runs a command in the terminal of this process, as if its person had typed it there. */
import { spawnSync } from 'node:child_process';

/** By the person's own shell, with its folders of programs; then it waits, so that the end can be read. */
const SCRIPT = String.raw`printf '$ %s\n' "$1"; "$SHELL" -lc "$1"; printf '\n%s ' "$2"; read -r _`;

/** Returns when the command has ended and the person has pressed Enter after `last`. */
export const runInTerminal = (line: string, last: string): void =>
  void spawnSync('/bin/sh', ['-c', SCRIPT, 'sh', line, last], { stdio: 'inherit', env: { SHELL: '/bin/sh', ...process.env } });
