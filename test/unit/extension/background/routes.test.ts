import { expect, test } from 'vitest';
import type { RouteWay } from '#extension/toolkit/page.ts';
import { answerRequest } from '#extension/background/routes.ts';

const URL_OF_PAGE = 'https://shop.example/pay';

const answer: RouteWay = { type: 'answer', status: 200, body: 'paid', headers: {} };

test.for([
  ['answered in the place of its server reaches that', answer, ['Fetch.fulfillRequest', 'Fetch.failRequest']],
  ['blocked reaches its server', { type: 'block' }, ['Fetch.failRequest', 'Fetch.failRequest']],
  ['sent with other headers is held back', { type: 'continue', set: {}, remove: [] }, ['Fetch.continueRequest', 'Fetch.continueRequest']],
] as const)('a request is not %s, where the browser cannot do it', async ([, way, wanted]) => {
  const sent: string[] = [];
  const send = (method: string): Promise<unknown> => {
    sent.push(method);
    return sent.length === 1 ? Promise.reject(new Error('refused')) : Promise.resolve({});
  };
  const paused = { requestId: '1', resourceType: 'Document', request: { url: URL_OF_PAGE, headers: {} } };

  await answerRequest(send, [{ pattern: '*', origin: 'https://shop.example', grant: null, way }], paused);

  expect(sent).toEqual(wanted);
});
