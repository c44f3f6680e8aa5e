/** How much an agent reads: snapshots of the pages of the tests, ours beside those of two peers. Tokens go by characters, so their ratio does too. */
import type { Row } from './bench.ts';
import { REAL_PAGES, serveRealPages } from './real-pages.ts';
import { figures } from './stats.ts';

/** What a client reads of a page: all of it, and what it gets when it asks for nothing in particular. */
interface Reader {
  open(url: string): Promise<unknown>;
  whole(): Promise<string>;
  byDefault(): Promise<string>;
}

const SMALL = ['article', 'bank', 'console', 'context', 'form', 'frames', 'secrets', 'settle', 'shadow', 'shop', 'traffic', 'visual'];
const DENSE = 'dense';

interface Sizes {
  readonly page: string;
  readonly whole: number;
  readonly byDefault: number;
  /** Of the peer that needs fewer. */
  readonly best: number;
}

export const compareSizes = async (url: string, ours: Reader, peers: readonly Reader[]): Promise<Row[]> => {
  const sizes = await readAll(url, [...SMALL, DENSE], ours, peers);
  const small = sizes.filter(({ page }) => page !== DENSE);
  const worst = small.toSorted((one, other) => shareOf(other) - shareOf(one))[0];
  const dense = sizes.find(({ page }) => page === DENSE);
  if (worst === undefined || dense === undefined) throw new Error('no page was read');
  const sum = (of: (size: Sizes) => number): number => small.reduce((total, size) => total + of(size), 0);
  return [
    row(
      `snapshots of ${small.length} small pages, together`,
      sum(({ whole }) => whole),
      sum(({ best }) => best),
      1,
    ),
    row(`the one of them that is worst for us, ${worst.page}.html`, worst.whole, worst.best, 1),
    row('snapshot of a dense page, whole', dense.whole, dense.best, 0.45),
    row('the same, by default', dense.byDefault, dense.best, 0.15),
    await compareReal(ours, peers),
  ];
};

/** The page in the middle, by how much of the peer's size ours has. */
const compareReal = async (ours: Reader, peers: readonly Reader[]): Promise<Row> => {
  const server = await serveRealPages();
  try {
    const sizes = await readAll(server.url, REAL_PAGES, ours, peers);
    const middle = sizes.toSorted((one, other) => shareOf(one) - shareOf(other))[Math.floor(sizes.length / 2)];
    if (middle === undefined) throw new Error('no page was read');
    const { p95 } = figures(sizes.map(shareOf));
    const what = `snapshots of ${sizes.length} pages of a real application (AdminLTE), whole: the median, ${middle.page}.html (p95 ${p95.toFixed(2)})`;
    return row(what, middle.whole, middle.best, 0.45);
  } finally {
    await server.close();
  }
};

const readAll = async (url: string, pages: readonly string[], ours: Reader, peers: readonly Reader[]): Promise<Sizes[]> => {
  const sizes: Sizes[] = [];
  for (const page of pages) {
    for (const reader of [ours, ...peers]) await reader.open(`${url}/${page}.html`);
    const [whole, byDefault] = [(await ours.whole()).length, (await ours.byDefault()).length];
    const theirs: number[] = [];
    for (const peer of peers) theirs.push((await peer.whole()).length);
    sizes.push({ page, whole, byDefault, best: Math.min(...theirs) });
  }
  return sizes;
};

const shareOf = ({ whole, best }: Sizes): number => whole / best;

const row = (what: string, ours: number, best: number, goal: number): Row => ({
  area: 'size',
  what,
  ours: `${ours.toLocaleString('en')} characters`,
  reference: `the best peer: ${best.toLocaleString('en')} characters`,
  ratio: ours / best,
  goal,
});
