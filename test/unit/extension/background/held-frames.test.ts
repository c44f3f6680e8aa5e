import { describe, expect, test } from 'vitest';
import { HeldFrames } from '#extension/background/held-frames.ts';

const OWN = 'https://shop.example';
const ROUTES = [{ urlPattern: '*.png' }];

const paused = (frameId: string, url: string, resourceType = 'Document'): unknown => ({
  requestId: `of ${frameId}`,
  frameId,
  resourceType,
  request: { url },
});

/** What Chrome is told, and when the page tells its frames. */
const meet = (): { sent: unknown[]; held: HeldFrames; tellFrames: () => void } => {
  const sent: unknown[] = [];
  const frames = Promise.withResolvers<unknown>();
  const send = (method: string, params: Record<string, unknown>): Promise<unknown> => {
    if (method === 'Page.getFrameTree') return frames.promise;
    sent.push([method, params]);
    return Promise.resolve({});
  };
  const tellFrames = (): void => frames.resolve({ frameTree: { frame: { id: 'top' } } });
  return { sent, held: new HeldFrames(send, OWN), tellFrames };
};

describe('frames that do not load yet', () => {
  test('are those of other sites; all that waited goes on, then Chrome is told to hold what it held before', async () => {
    const { sent, held, tellFrames } = meet();
    tellFrames();
    await held.begin(ROUTES);
    const requests = [
      paused('top', 'https://bank.example/'),
      paused('own', `${OWN}/frame`),
      paused('picture', 'https://bank.example/a.png', 'Image'),
      paused('one', 'https://bank.example/'),
      paused('two', 'https://bank.example/'),
    ];
    const taken = requests.map((request) => held.take(request));
    const answered: unknown[] = [];

    await held.end(ROUTES, (request) => Promise.resolve(void answered.push(request)));

    expect(taken).toEqual([false, false, false, true, true]);
    expect(answered).toEqual(requests.slice(3));
    expect(sent.at(-1)).toEqual(['Fetch.enable', { patterns: ROUTES }]);
  });

  test('are never held by a call that ended before the page had told its frames', async () => {
    const { sent, held, tellFrames } = meet();
    const begun = held.begin([]);

    await held.end([], () => Promise.resolve());
    tellFrames();
    await begun;

    expect(sent.at(-1)).toEqual(['Fetch.disable', {}]);
  });
});
