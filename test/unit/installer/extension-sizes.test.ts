import { describe, expect, test } from 'vitest';
import { loadedLazily, loadedWith, zippedBytes } from '#installer/extension-sizes.ts';

const files = {
  'manifest.json': Buffer.from(JSON.stringify({ sandbox: { pages: ['drawn.html'] } })),
  'background.js': Buffer.from('import("./parts/never.js")'),
  'content-read.js': Buffer.from('read()'),
  'panel.html': Buffer.from('<script type="module" src="panel.js"></script>'),
  'panel.js': Buffer.from('import{a}from"./parts/common.js";import"./parts/side.js";const b=()=>import("./parts/maths.js");'),
  'options.html': Buffer.from('<script type="module" src="options.js"></script>'),
  'options.js': Buffer.from('import{a}from"./parts/common.js";import{c}from"./parts/form.js";'),
  'drawn.html': Buffer.from('<script src="drawn.js"></script>'),
  'drawn.js': Buffer.from('draw()'),
  'parts/common.js': Buffer.from('import{d}from"./deep.js";const e=()=>import("./form.js");'),
  'parts/deep.js': Buffer.from(''),
  'parts/form.js': Buffer.from(''),
  'parts/maths.js': Buffer.from('import{f}from"./numbers.js"'),
  'parts/numbers.js': Buffer.from(''),
  'parts/side.js': Buffer.from(''),
};

describe('what a page of the extension loads', () => {
  test('before it runs is its script, and what that imports and what those import', () => {
    expect([...loadedWith(files, 'panel.js')].toSorted()).toEqual(['panel.js', 'parts/common.js', 'parts/deep.js', 'parts/side.js']);
  });

  test('lazily is what no page imports, and the pages in a sandbox with their scripts', () => {
    expect([...loadedLazily(files)].toSorted()).toEqual(['drawn.html', 'drawn.js', 'parts/maths.js', 'parts/numbers.js']);
  });
});

test('the size counts the files that are named', () => {
  expect(zippedBytes(files, (name) => name === 'panel.js')).toBeLessThan(zippedBytes(files));
});
