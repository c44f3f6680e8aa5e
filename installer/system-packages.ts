/** Programs of the operating system that a command of this repository needs: Debian's packages are installed where this runs as root. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** A need: the package that has it, and the commands of which one is enough. */
export interface Need {
  readonly package: string;
  readonly commands: readonly string[];
}

/** The file that a command's name leads to. */
export const findOnPath = (command: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, command))
    .find((file) => existsSync(file));

/** Installs what is missing when this runs as root; otherwise says the one command that does and ends, at once. `libraries` come with the others. */
export const installSystemPackages = async (
  needs: readonly Need[],
  libraries: readonly string[],
  report: (line: string) => void,
): Promise<void> => {
  const missing = needs.filter(({ commands }) => commands.every((command) => findOnPath(command) === undefined));
  if (missing.length === 0) return;
  const install = `apt-get install -y --no-install-recommends ${[...missing.map((need) => need.package), ...libraries].join(' ')}`;
  if (process.getuid?.() !== 0 || findOnPath('apt-get') === undefined) {
    report(
      `This needs ${missing.map(({ commands }) => commands[0]).join(', ')}. Install them with:\n\n    sudo apt-get update && sudo ${install}\n`,
    );
    process.exit(1);
  }
  report(`installing ${missing.map((need) => need.package).join(', ')}`);
  await runApt(['update', '-qq']);
  await runApt(install.split(' ').slice(1));
};

const runApt = async (args: readonly string[]): Promise<void> => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = spawn('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  await once(apt, 'close');
  if (apt.exitCode !== 0) throw new Error(`apt-get ${args.join(' ')} ended with ${apt.exitCode ?? apt.signalCode}`);
};
