/** What the daemon answers in the gallery. */
import type { Route } from '#protocol/contract.ts';
import { routes } from '#protocol/routes.ts';

export const answers: ReadonlyMap<Route, unknown> = new Map<Route, unknown>([
  [routes.listFiles, { files: ['README.md', 'src/tides.ts', 'src/water/high-water.ts', 'test/tides.test.ts'], isCut: false }],
  [routes.search, { titles: [], hits: [], indexing: null }],
  [routes.readAudit, { entries: [], total: 0, fault: null }],
]);
