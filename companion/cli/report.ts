/** The overview as text: what `pilotfish` prints where there is no terminal to draw on, and `pilotfish status` anywhere. */
import type { Status } from '#protocol/api.ts';
import { warningsIn } from '#protocol/warnings.ts';
import { isReady, overview, type OverviewInput } from '#display/overview.ts';
import type { Io } from './io.ts';

/** Brings the daemon up, has the agents checked, and prints how far everything is set up. */
export const runReport = async (io: Io): Promise<number> => {
  await io.client.connect({ start: true, signal: io.signal });
  await io.client.engines.refresh(undefined, io.signal);
  printReport(io, await io.client.status(io.signal));
  return 0;
};

/** Prints the overview of a status. */
export const printReport = (io: Io, status: Status, { isResting } = { isResting: false }): void => {
  const input: OverviewInput = {
    browserSetups: io.installer.browsers(),
    extension: io.installer.extension(),
    installRemedy: 'Run `pilotfish install`.',
    daemon: status.isRunning ? { ...status, warnings: warningsIn(status) } : null,
    isResting,
  };
  io.print(
    status.isRunning
      ? `Pilotfish ${status.version} is running: process ${status.pid}, 127.0.0.1:${status.port}`
      : isResting
        ? `Pilotfish ${status.version} is resting: a browser waits for it, and it is back when something is to be done.`
        : `Pilotfish ${status.version} is not running.`,
  );
  for (const { title, lines } of overview(input)) {
    io.print(`\n${title}`);
    for (const { mark, text, remedy } of lines) {
      io.line(`  ${signs[mark]} ${text}`);
      if (remedy !== undefined) io.print(`    ${remedy}`);
    }
  }
  io.print(
    `\n${isResting || isReady(input) ? 'Ready: open `pilotfish` in a terminal, or the side panel in the browser.' : 'Mend what has a ! above, from top to bottom.'}`,
  );
};

const signs = { ok: '+', missing: '!', info: '-' } as const;
