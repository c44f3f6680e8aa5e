import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const HALVES = ['companion', 'extension'];

/** A way as docs/architecture.md draws it. */
interface Way {
  /** The files that hand it on, in order. */
  readonly hops: readonly string[];
  /** The files that are asked on the way. */
  readonly asked: readonly string[];
}

const page = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');

const read = (beginning: string): Way & { readonly told: number } => {
  const text = page.slice(page.indexOf(beginning));
  const [sentence = '', drawing = ''] = text.split('```\n', 2);
  const told = Number(/(\d+) files hand it on/.exec(sentence)?.[1]);
  const hops: string[] = [];
  const asked: string[] = [];
  for (const line of drawing.split('\n').filter((text) => /^ *[a-z]/.test(text))) {
    // What follows two spaces is a remark.
    const [names = ''] = line.trim().split(/ {2,}/, 1);
    for (const step of names.split(' → ')) {
      const [, name = '', inside = ''] = /^([\w/-]+)(?: \((.+)\))?/.exec(step) ?? [];
      const file = find(name, hops.at(-1));
      // The same file may be drawn again where it goes on with its work.
      if (!hops.includes(file)) hops.push(file);
      asked.push(
        ...inside
          .split(', ')
          .filter((other) => other !== '')
          .map((other) => find(other, file)),
      );
    }
  }
  return { hops, asked, told };
};

/** The file of a name: in the folder of the file before it, or else in one of the two halves. */
const find = (name: string, before?: string): string => {
  const folders = [...(before === undefined ? [] : [path.dirname(before)]), ...HALVES];
  const files = folders.flatMap((folder) => ['.ts', '.tsx'].map((ending) => `${folder}/${name}${ending}`));
  const found = files.find((file) => existsSync(path.join(ROOT, file)));
  if (found === undefined) throw new Error(`docs/architecture.md names ${name}, and there is no such file`);
  return found;
};

const IMPORT = /(?:from|import\() ?'([^']+)'/g;

/** The files that a file imports by a relative path or by the name of their room. */
const importsOf = (file: string): string[] => {
  if (!/\.tsx?$/.test(file) || !existsSync(path.join(ROOT, file))) return [];
  return [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(IMPORT)].map(([, from = '']) => {
    if (from.startsWith('.')) return path.join(path.dirname(file), from);
    return from.replace(/^#protocol\//, 'companion/protocol/').replace(/^#/, '');
  });
};

/** Whether one of the two imports the other or a file that does, or a file beside one of them puts both together. */
const isJoined = (one: string, other: string): boolean =>
  reaches(one, other) || reaches(other, one) || besides(one).some((file) => [one, other].every((name) => importsOf(file).includes(name)));

const besides = (file: string): string[] =>
  readdirSync(path.join(ROOT, path.dirname(file))).map((name) => path.join(path.dirname(file), name));

const reaches = (from: string, to: string): boolean => {
  const direct = importsOf(from);
  return direct.includes(to) || direct.some((file) => importsOf(file).includes(to));
};

/** The first file of each process on a way, since between two processes there is a wire; and the agent that a session names. */
const STARTS = new Set([
  'companion/server/doors.ts',
  'companion/engines/claude/codec.ts',
  'companion/host/relay.ts',
  'extension/background/companion-port.ts',
  'extension/content/page.ts',
]);

describe.for([
  { name: 'prompt', beginning: "A prompt's way.", before: 25 },
  { name: 'tool call', beginning: "A tool call's way.", before: 44 },
])('the way of a $name in docs/architecture.md', ({ beginning, before }) => {
  const { hops, asked, told } = read(beginning);

  test('goes from each file to one that it imports, or that imports it', () => {
    const torn = hops.filter((file, index) => {
      const earlier = hops.slice(0, index);
      return index > 0 && !STARTS.has(file) && !earlier.some((other) => isJoined(other, file));
    });

    expect(torn).toEqual([]);
  });

  test('has beside each file those that it asks', () => {
    expect(asked.filter((file) => !hops.some((hop) => isJoined(hop, file)))).toEqual([]);
  });

  test('is as long as the text says, and shorter than it once was', () => {
    expect(hops.length).toBe(told);
    expect(new Set([...hops, ...asked]).size).toBeLessThan(before);
  });
});
