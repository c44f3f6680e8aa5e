/** What a bug report needs, in one file for the person to read first: what was checked, and the end of the daemon's log. */
import { readFileSync } from 'node:fs';
import { arch, homedir, platform, release, userInfo } from 'node:os';
import { redactLikely, Redactor, secretsIn } from '#companion/lib/redact.ts';
import { printableJson } from '#display/plain-text.ts';
import type { Check } from '#protocol/setup.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import type { Io } from './io.ts';
import { writeOutput } from './output-file.ts';

const LOG_LINES = 300;
/** No line of the log tells more than this. */
const MAX_LINE = 2000;

/** Fields of the log that say what was worked on, and not how. */
const CONTENT = /"(?:title|url|text|prompt|origin|query|command)":"(?:[^"\\]|\\.)*"/gu;

/** Writes the report for the person alone: without keys, without the home folder's and the person's name, without addresses of pages. */
export const writeReport = async (io: Pick<Io, 'env' | 'paths'>, file: string, checks: readonly Check[]): Promise<void> => {
  const redactor = new Redactor(secretsIn(io.env));
  const clean = (text: string): string => redactLikely(redactor.text(text));
  const report = {
    pilotfish: VERSION,
    protocol: PROTOCOL.current,
    node: process.versions.node,
    system: `${platform()} ${release()} ${arch()}`,
    checks: checks.map(({ detail, remedy, ...check }) => ({
      ...check,
      detail: clean(detail),
      ...(remedy === undefined ? {} : { remedy: clean(remedy) }),
    })),
    // A secret that is cut would not be known any more.
    log: readLog(io.paths.daemonLog).map((line) => clean(line).slice(0, MAX_LINE)),
  };
  await writeOutput(file, 'The report', `${withoutNames(redactor.text(printableJson(report)), io.env)}\n`);
};

const readLog = (file: string): string[] => {
  try {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.slice(-LOG_LINES).map((line) => line.replaceAll(CONTENT, (found) => `${found.slice(0, found.indexOf(':'))}:"…"`));
  } catch {
    // Nothing was logged yet.
    return [];
  }
};

const withoutNames = (text: string, env: NodeJS.ProcessEnv): string => {
  const homes = [env['HOME'], env['USERPROFILE'], homedir()].filter((home) => home !== undefined && home.length > 1);
  const withoutHome = homes.reduce<string>(
    (rest, home) => (home === undefined ? rest : rest.replaceAll(JSON.stringify(home).slice(1, -1), '~')),
    text,
  );
  const { username } = userInfo();
  // A short name is a part of ordinary words.
  return username.length < 4 ? withoutHome : withoutHome.replaceAll(new RegExp(`\\b${RegExp.escape(username)}\\b`, 'gu'), '[user]');
};
