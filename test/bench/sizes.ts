/** How much an agent reads: snapshots of the pages of the tests, ours beside those of two peers. Tokens go by characters, so their ratio does too. */
import type { Row } from './bench.ts';

/** What a client reads of a page: all of it, and what it gets when it asks for nothing in particular. */
interface Reader {
  open(url: string): Promise<unknown>;
  whole(): Promise<string>;
  byDefault(): Promise<string>;
}

const PAGES = [
  'article',
  'bank',
  'console',
  'context',
  'dense',
  'form',
  'frames',
  'secrets',
  'settle',
  'shadow',
  'shop',
  'traffic',
  'visual',
];
const DENSE = 'dense';

interface Sizes {
  readonly page: string;
  readonly whole: number;
  readonly byDefault: number;
  /** Of the peer that needs fewer. */
  readonly best: number;
}

export const compareSizes = async (url: string, ours: Reader, peers: readonly Reader[]): Promise<Row[]> => {
  const sizes: Sizes[] = [];
  for (const page of PAGES) {
    for (const reader of [ours, ...peers]) await reader.open(`${url}/${page}.html`);
    const [whole, byDefault] = [(await ours.whole()).length, (await ours.byDefault()).length];
    const theirs: number[] = [];
    for (const peer of peers) theirs.push((await peer.whole()).length);
    sizes.push({ page, whole, byDefault, best: Math.min(...theirs) });
  }
  const median = sizes.toSorted((one, other) => shareOf(one) - shareOf(other))[Math.floor(sizes.length / 2)];
  const largest = sizes.toSorted((one, other) => shareOf(one) - shareOf(other)).at(-1);
  const dense = sizes.find(({ page }) => page === DENSE);
  if (median === undefined || largest === undefined || dense === undefined) throw new Error('no page was read');
  return [
    row(`snapshot of ${sizes.length} pages, whole, in the median (${median.page}.html)`, median.whole, median.best, 0.45),
    row(`the same of the page where ours is the longest (${largest.page}.html)`, largest.whole, largest.best, 1),
    row('snapshot of a dense page, by default', dense.byDefault, dense.best, 0.15),
  ];
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
