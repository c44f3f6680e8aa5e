import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** `https://bank.example.evil.example` begins as `https://bank.example` does. */
const BEGINNING = /\b\w*(?:origin|site|host)\w*\??\.(?:startsWith|indexOf)\((?!'www\.'\))/i;

const sources = ['companion', 'extension'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name)),
);

test('an origin, a site or a host is compared whole, and never by how it begins', () => {
  const found = sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (BEGINNING.test(line) ? [`${path.relative(ROOT, file)}:${index + 1}: ${line.trim()}`] : [])),
  );

  expect(BEGINNING.test("page.origin.startsWith('https://bank.example')")).toBe(true);
  expect(sources.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});

/** A window is told something only by where it is from: whatever page is in it by then would hear it too. */
const TO_ANYBODY = /\b(?:window|top|parent|opener|contentWindow|source)\b[^.]*\??\.postMessage\(|postMessage\([^;]*['"]\*['"]/;

/** A sandboxed page of the extension has no origin that could be named. The panel's policy lets its frames show no other page. */
const TO_OWN_FRAME = 'extension/sidepanel/diagrams.ts';

test('nothing is said to a window, whoever it shows', () => {
  const { extension_pages: policy } = JSON.parse(readFileSync(path.join(ROOT, 'extension/manifest.json'), 'utf8')).content_security_policy;
  const said = sources.filter((file) => TO_ANYBODY.test(readFileSync(file, 'utf8')));

  for (const way of [
    "parent.postMessage(told, '*')",
    'frame.contentWindow?.postMessage(told, origin)',
    "postMessage({ a: 1 }, { targetOrigin: '*' })",
  ])
    expect(TO_ANYBODY.test(way), way).toBe(true);
  expect(said.map((file) => path.relative(ROOT, file))).toEqual([TO_OWN_FRAME]);
  expect(policy).toMatch(/; frame-src 'self'$/);
});
