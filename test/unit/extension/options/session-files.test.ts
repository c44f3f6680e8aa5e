import { describe, expect, test } from 'vitest';
import { exportName, joinExports, sessionsIn } from '#extension/options/session-files.ts';

const blobs = (...texts: readonly string[]): Blob[] => texts.map((text) => new Blob([text]));
const texts = (files: readonly File[]): Promise<string[]> => Promise.all(files.map((file) => file.text()));

describe('several sessions in one file', () => {
  test('are texts with a rule between them, or JSON with a line for each', async () => {
    expect(await joinExports(blobs('# One', '# Two'), 'markdown').text()).toBe('# One\n\n---\n\n# Two');
    expect(await joinExports(blobs('{"a":1}', '{"b":2}'), 'json').text()).toBe('{"a":1}\n{"b":2}');
    expect(await joinExports(blobs('{"a":1}'), 'json').text()).toBe('{"a":1}');
  });

  test('have a name that says what is in it', () => {
    expect([exportName(['s1'], 'markdown'), exportName(['s1'], 'json')]).toEqual(['s1.md', 's1.json']);
    expect([exportName(['s1', 's2'], 'markdown'), exportName(['s1', 's2'], 'json')]).toEqual([
      'pilotfish-sessions.md',
      'pilotfish-sessions.jsonl',
    ]);
  });

  test('come out of it as they went in, wherever a piece ends that is read', async () => {
    const long = `{"text":"${'潮'.repeat(400_000)}"}`;
    const joined = joinExports(blobs(long, '{"b":2}', long), 'json');

    const found = await sessionsIn(new File([joined, '\n'], 'all.jsonl'));

    expect(await texts(found)).toEqual([long, '{"b":2}', long]);
  });

  test('are looked for only where the name says that each line is one', async () => {
    const pretty = new File(['{\n  "a": 1\n}\n'], 'one.json');

    expect(await sessionsIn(pretty)).toEqual([pretty]);
    expect(await sessionsIn(new File([], 'none.jsonl'))).toEqual([]);
  });
});
