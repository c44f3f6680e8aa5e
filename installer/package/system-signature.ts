/** Signing for Windows and macOS, by a program of the person who releases: certificates are theirs, and so are the tools. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Names a program that signs a file in its place, and what it is given before the file's name, divided by spaces. */
const PROGRAM = 'PILOTFISH_SIGN_PROGRAM';
const ARGUMENTS = 'PILOTFISH_SIGN_ARGUMENTS';

/** The file as the program leaves it, or as it was where none is named. `extension` is the end of its name. */
export const signedForSystem = (content: Buffer, extension: string): Buffer => {
  const program = process.env[PROGRAM] ?? '';
  const args = (process.env[ARGUMENTS] ?? '').split(' ').filter((word) => word !== '');
  if (program === '') return content;
  const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-sign-'));
  try {
    const file = path.join(folder, `pilotfish${extension}`);
    writeFileSync(file, content, { mode: 0o755 });
    execFileSync(program, [...args, file], { stdio: 'inherit' });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
