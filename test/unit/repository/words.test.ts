import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

const FOLDERS = ['companion', 'extension', 'installer', 'native-manifests', 'docs', 'test'];
const IS_TEXT = /\.(ts|tsx|md|html|css)$/;

/** A letter and a number, as lists of requirements have them: without the list they mean nothing. */
const CODE = /(?<![\w$#/.-])(?:[SR]\d{2}|P\d{1,2}b?)(?![\w$-])/;

const texts = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && IS_TEXT.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name)),
).filter((file) => !file.includes(path.join('test', 'transcripts')));

test('promises and goals are said in words and not by the number of a private list', () => {
  const found = texts.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (CODE.test(line) ? [`${path.relative(ROOT, file)}:${index + 1}: ${line.trim()}`] : [])),
  );

  expect(texts.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

/** Words in comments that leave it to the reader to find out who or what is meant. */
const UNCLEAR = /\b(?:whoever|of ours|when it is none)\b/i;
const IS_COMMENT = /^\s*(?:\/\/|\/?\*)/;

test('a comment says who or what it means', () => {
  const found = texts
    .filter((file) => /\.(?:ts|tsx|css)$/.test(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          IS_COMMENT.test(line) && UNCLEAR.test(line) ? [`${path.relative(ROOT, file)}:${index + 1}: ${line.trim()}`] : [],
        ),
    );

  expect(found).toEqual([]);
});
