import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { FileLog } from '#companion/lib/log.ts';
import { readStartFailure, START_FAILED_EVENT } from '#companion/reach/start-failure.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { explainLink } from '#protocol/link-faults.ts';
import { asItCame } from '#protocol/said.ts';

const test = base.extend<{ daemonLog: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  daemonLog: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-log-'));
    await use(path.join(folder, 'logs', 'daemon.log'));
    rmSync(folder, { recursive: true });
  },
});

describe('why a daemon did not start', () => {
  test('is what it wrote into its log last', ({ daemonLog }) => {
    const log = new FileLog({ file: daemonLog, maxBytes: 1e6 });
    log.error(START_FAILED_EVENT, { code: 'STORE_FAILED', message: 'The first reason.', remedy: 'Do this.' });
    log.error(START_FAILED_EVENT, { code: 'STORE_FAILED', message: 'The second reason.', remedy: 'Do that.' });
    log.info('something.else');
    log.close();
    writeFileSync(daemonLog, `daemon.failed is no JSON\n`, { flag: 'a' });

    expect(readStartFailure({ daemonLog }, { since: Date.now() - 10_000, signal: null })).toEqual({
      detail: asItCame('The second reason.'),
      remedy: asItCame('Do that.'),
    });
    expect(readStartFailure({ daemonLog }, { since: Date.now() + 10_000, signal: null }).detail.text).toContain(daemonLog);
  });

  test('is said as the daemon has said it', ({ daemonLog }) => {
    const [detail, remedy] = [explain('no_port'), explainLink('run_doctor')];
    const log = new FileLog({ file: daemonLog, maxBytes: 1e6 });
    log.error(START_FAILED_EVENT, { ...new CompanionError('DAEMON_START_FAILED', detail, { remedy }).toBody() });
    log.close();

    expect(readStartFailure({ daemonLog }, { since: 0, signal: null })).toEqual({ detail, remedy });
  });

  test('is a lack of memory or threads when the runtime aborted before it could say anything', ({ daemonLog }) => {
    const { detail, remedy } = readStartFailure({ daemonLog }, { since: 0, signal: 'SIGABRT' });

    expect(detail.text).toContain('ended by SIGABRT while it started: the system refuses it memory, or threads and processes');
    expect(remedy.text).toContain('ulimit -u');
  });

  test('is the folder of the log when a file stands in its place', ({ daemonLog }) => {
    mkdirSync(path.dirname(path.dirname(daemonLog)), { recursive: true });
    writeFileSync(path.dirname(daemonLog), 'a file in its place');

    const { detail, remedy } = readStartFailure({ daemonLog }, { since: 0, signal: null });

    expect(detail.text).toContain(`${path.dirname(daemonLog)} is not what it should be`);
    expect(remedy.text).toContain('PILOTFISH_HOME');
  });
});
