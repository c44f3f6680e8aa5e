import { transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { originalPlace } from '#extension/background/source-map.ts';

const MADE_FROM = `interface Unused {
  name: string;
}

export const Pay = ({ label }: { label: string }) => (
  <p>
    <button>{label}</button>
  </p>
);
`;

const built = async (sourceRoot?: string): Promise<{ code: string; map: string }> =>
  transform(MADE_FROM, {
    loader: 'tsx',
    sourcefile: 'pay.tsx',
    sourcemap: 'external',
    ...(sourceRoot === undefined ? {} : { sourceRoot }),
  });

/** Where `words` begin, counted from one. */
const placeOf = (text: string, words: string): { line: number; column: number } => {
  const lines = text.slice(0, text.indexOf(words)).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
};

describe('a source map', () => {
  test('tells from what file, line and column a place was made', async () => {
    const { code, map } = await built();
    const made = placeOf(code, 'React.createElement("button"');

    const place = originalPlace('http://localhost:5173/src/pay.tsx?t=1', map, made);

    expect(made.line).not.toBe(7);
    expect(place).toEqual({ file: 'http://localhost:5173/src/pay.tsx', line: 7, column: 5 });
  });

  test('of several scripts in one file is asked for the part that holds the place', async () => {
    const { code, map } = await built();
    const made = placeOf(code, 'React.createElement("button"');
    const sections = [0, 100].map((line) => ({ offset: { line, column: line === 0 ? 3 : 0 }, map: JSON.parse(map) }));
    const text = JSON.stringify({ version: 3, sections });

    expect(originalPlace('http://localhost/a.js', text, { line: made.line + 100, column: made.column })).toMatchObject({
      line: 7,
      column: 5,
    });
    expect(originalPlace('http://localhost/a.js', text, { line: 1, column: 1 })).toBeNull();
  });

  test('names files as the project does, whatever made it', async () => {
    const made = placeOf((await built()).code, 'React.createElement("button"');
    const fileBy = async (sourceRoot: string): Promise<string | undefined> =>
      originalPlace('http://localhost/static/a.js.map', (await built(sourceRoot)).map, made)?.file;

    expect(await fileBy('webpack://shop/./src/')).toBe('src/pay.tsx');
    expect(await fileBy('file:///home/ann/shop')).toBe('file:///home/ann/shop/pay.tsx');
    expect(await fileBy('/src')).toBe('http://localhost/src/pay.tsx');
  });

  test('that is none, or does not reach so far, tells nothing', async () => {
    const { map } = await built();

    for (const text of ['', 'null', '<!doctype html>', '{"version":3}', '{"sections":[]}', '{"sources":[],"mappings":"!!!,AAAA;;,"}'])
      expect(originalPlace('http://localhost/a.js', text, { line: 1, column: 1 })).toBeNull();
    expect(originalPlace('http://localhost/a.js', map, { line: 1000, column: 1 })).toBeNull();
    expect(originalPlace('http://localhost/a.js', `)]}'\n${map}`, { line: 1, column: 1 })).not.toBeNull();
  });
});
