/** What is written to the log of a session was decided by `decide`: no file writes past it. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const SESSION = 'companion/sessions/session.ts';
const LOG = 'companion/sessions/session-log.ts';

const sources = new Map(globSync('companion/**/*.ts', { cwd: ROOT }).map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]));

/** All places that look like `pattern`, as `file: text`. */
const places = (pattern: RegExp, among = sources): string[] =>
  [...among]
    .flatMap(([file, text]) => [...text.matchAll(pattern)].map(([found]) => `${file}: ${found.replaceAll(/\s+/g, ' ')}`))
    .toSorted();

const filesOf = (found: readonly string[]): string[] => [...new Set(found.map((place) => place.split(': ', 1)[0] ?? ''))].toSorted();

const session = sources.get(SESSION) ?? '';

describe('what stands in the log of a session', () => {
  test('is put into its table by the store alone, and told to the store by the log of a session alone', () => {
    // A damaged file is brought over entry by entry, as it was written once.
    expect(filesOf(places(/INSERT[A-Z ]*INTO events\b/g))).toEqual(['companion/store/event-log.ts', 'companion/store/salvage.ts']);
    expect(places(/\bevents\.append\(/g)).toEqual([`${LOG}: events.append(`]);
    expect(places(/\bnew EventTable\(/g)).toEqual(['companion/store/store.ts: new EventTable(']);
  });

  test('is told to the log by a session alone, and only as it was decided', () => {
    const rooms = new Map([...sources].filter(([file, text]) => file.startsWith('companion/sessions/') || text.includes('SessionLog')));
    const told = places(/\.(?:commit|record)\([^)]*\)/g, rooms);

    // The log itself tries again to write what waited for the disk.
    expect(filesOf(told)).toEqual([LOG, SESSION]);
    expect(told.filter((place) => place.startsWith(LOG)).every((place) => place.endsWith('.record([])'))).toBe(true);
    expect(told.filter((place) => place.startsWith(SESSION)).every((place) => /\.(?:commit|record)\(events\)$/.test(place))).toBe(true);
    // Each of them stands in a function that is handed to `#carryOut`, and takes the events from there.
    const handed = [...session.matchAll(/\(events\) => (?:\{|this\.log\.(?:commit|record)\(events\)\))/g)];
    const carried = [...session.matchAll(/#carryOut\(([^;{]*?(?:\{[^}]*\})?[^;{]*?), \(events\) =>/g)].map(([, decided]) => decided);
    expect(handed).toHaveLength(carried.length);
    // What is carried out comes from `#decide`, at once or by a constant.
    const made = [...session.matchAll(/const (\w+) = this\.#decide\(/g)].map(([, name]) => name);
    expect(carried.filter((decided = '') => !decided.startsWith('this.#decide(') && !made.includes(decided))).toEqual([]);
  });

  test('is decided in one place: `#decide` gives back what `decide` says, and nobody else asks it', () => {
    expect(filesOf(places(/from '(?:\.|#companion\/sessions)\/decide\.ts'/g))).toEqual([SESSION]);
    expect(session.match(/(?<![#.\w])decide\(/g)).toHaveLength(1);
    expect(session).toContain('return decide(this.#state(), input, this.#facts);');
    expect(session.match(/: Decision \{/g)).toHaveLength(1);
  });
});
