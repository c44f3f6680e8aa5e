import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeDocs } from '#installer/docs.ts';

const docsDir = path.join(import.meta.dirname, '..', '..', '..', 'docs');

describe('the generated pages', () => {
  test.for(Object.entries(makeDocs()))('docs/%s is what `npm run docs` writes', ([name, text]) => {
    expect(readFileSync(path.join(docsDir, name), 'utf8')).toBe(text);
  });
});
