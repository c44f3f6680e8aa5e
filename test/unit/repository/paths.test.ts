import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LINK_PATH } from '#protocol/version.ts';
import { routes } from '#protocol/routes.ts';
import { compatRoutes } from '#companion/compat/routes.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** Where paths are written, and who speaks with servers of others, or writes for people. */
const EXPECTED = [
  'companion/protocol/routes.ts',
  'companion/compat/routes.ts',
  'companion/protocol/health.ts',
  'companion/protocol/version.ts',
  'companion/protocol/errors.ts',
  'companion/protocol/features.ts',
  'companion/server/route-examples.ts',
  'companion/engines/local/model.ts',
  'installer/docs.ts',
];

/** How the paths of the daemon begin. */
const BEGINNINGS = [
  ...new Set([LINK_PATH, ...Object.values({ ...routes, ...compatRoutes }).map((route) => `/${route.path.split('/')[1]}`)]),
];

/** Such a beginning as a text, or in one behind a place. */
const WRITTEN = new RegExp(`['"\`}](?:${BEGINNINGS.map((beginning) => beginning.replaceAll('.', String.raw`\.`)).join('|')})(?=['"\`/?])`);

const sources = ['companion', 'extension', 'installer', 'native-manifests'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')),
);

test('no path of the daemon is written outside the tables of routes', () => {
  const writing = sources.filter((file) => WRITTEN.test(readFileSync(path.join(ROOT, file), 'utf8')));

  expect(BEGINNINGS).toContain('/api');
  expect(writing.filter((file) => !EXPECTED.includes(file))).toEqual([]);
});
