import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { EXTENSION_ID } from '#protocol/version.ts';
import { buildExtension } from '#installer/build-extension.ts';
import { launchBrowser } from '#test/fixtures/browser.ts';
import { until } from '#test/fixtures/until.ts';

/** What our own pages say to the worker, what the companion says, and what is neither. */
const SHAPES: readonly unknown[] = [
  { type: 'connection.get' },
  { type: 'connection.retry' },
  { type: 'context.capture', kind: 'page', windowId: 1 },
  { type: 'context.capture', kind: 'screenshot', windowId: 1 },
  { type: 'context.cancel', windowId: 1 },
  { type: 'tab.look', sessionId: 'session_1', windowId: 1 },
  { type: 'tab.hand', sessionId: 'session_1', windowId: 1 },
  { type: 'tab.release', sessionId: 'session_1', windowId: 1 },
  { type: 'connection.changed', state: { state: 'connected' } },
  { type: 'hello' },
  { type: 'welcome', port: 1, token: 'x' },
  { type: 'mcp_register', server: 'browser', tools: [] },
  { type: 'mcp_message', server: 'browser', payload: { jsonrpc: '2.0', id: '1', method: 'tools/list' } },
  { type: 'mcp_message', server: 'browser', payload: { jsonrpc: '2.0', id: '1', method: 'tools/call', params: {} } },
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'browser_snapshot', arguments: {} } },
  'ping',
  42,
  [],
  null,
];

test('another extension is answered nothing, in twenty shapes, by messages and by ports', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'pf-other-'));
  const [ours, other] = [path.join(dir, 'ours'), path.join(dir, 'other')];
  await buildExtension(ours);
  mkdirSync(other);
  writeFileSync(
    path.join(other, 'manifest.json'),
    JSON.stringify({ manifest_version: 3, name: 'Other', version: '1', background: { service_worker: 'worker.js' } }),
  );
  writeFileSync(path.join(other, 'worker.js'), '');
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir, PILOTFISH_HOME: path.join(dir, 'pilotfish') };
  const browser = await launchBrowser({ extensionDir: `${ours},${other}`, profileDir: path.join(dir, 'profile'), env });
  try {
    const isOther = (url: string): boolean => url.startsWith('chrome-extension:') && !url.includes(EXTENSION_ID);
    const worker = await until(() => browser.context.serviceWorkers().find((candidate) => isOther(candidate.url())), {
      what: 'the other extension',
    });

    const answers = await worker.evaluate(
      async ([id, shapes]) => {
        const said = shapes.map((shape) =>
          chrome.runtime.sendMessage(id, shape).then(
            (answer: unknown) => `answered ${JSON.stringify(answer)}`,
            (error: unknown) => String(error),
          ),
        );
        const heard = shapes.map(
          (shape) =>
            new Promise<string>((resolve) => {
              const port = chrome.runtime.connect(id);
              port.onMessage.addListener((answer: unknown) => resolve(`answered ${JSON.stringify(answer)}`));
              port.onDisconnect.addListener(() => resolve(chrome.runtime.lastError?.message ?? 'closed'));
              port.postMessage(shape);
            }),
        );
        return Promise.all([...said, ...heard]);
      },
      [EXTENSION_ID, SHAPES] as const,
    );

    expect(answers).toHaveLength(40);
    expect([...new Set(answers)].filter((answer) => !answer.includes('Could not establish connection'))).toEqual([]);
  } finally {
    await browser.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
});
