/** Builds the gallery and opens it in a browser. It is for development: nothing of it is in the extension. */
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { build } from 'esbuild';
import { chromium, type Page } from 'playwright-core';
import { claude } from '#companion/engines/claude.ts';
import { bundleDiagrams } from '#installer/build-extension.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { findChromium } from '#test/fixtures/system-packages.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { NOW } from './answers.ts';
import { recordedLog } from './recorded.ts';
import { recordings, waitingRecordings } from './states.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

export interface OpenGallery {
  readonly page: Page;
  readonly names: readonly string[];
  show(name: string, language?: string): Promise<void>;
  showLog(events: readonly SessionEvent[], language?: string): Promise<void>;
  said(name: string): Promise<readonly string[]>;
  /** Another, empty page of the same browser. */
  openPage(viewport: { readonly width: number; readonly height: number }): Promise<Page>;
  close(): Promise<void>;
}

/** The gallery in a headless Chromium. */
export const openGallery = async (): Promise<OpenGallery> => {
  const { html, script, style, settingsStyle, diagrams } = await makePage();
  const files: Readonly<Record<string, readonly [type: string, content: string]>> = {
    '/': ['text/html; charset=utf-8', html],
    '/gallery.js': ['text/javascript; charset=utf-8', script],
    '/diagram.html': ['text/html; charset=utf-8', readFileSync(path.join(ROOT, 'extension/sidepanel/diagram.html'), 'utf8')],
    '/diagram.js': ['text/javascript; charset=utf-8', diagrams],
    '/sidepanel.css': ['text/css; charset=utf-8', style],
    '/options.css': ['text/css; charset=utf-8', settingsStyle],
  };
  const server = createServer((request, response) => {
    const [type, content] = files[request.url ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath: findChromium(),
    timeout: HANG_MS,
    args: ['--no-sandbox', '--disable-gpu', '--force-device-scale-factor=1'],
  });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(HANG_MS);
  // Times are told as they were then; timers go on.
  await page.clock.setFixedTime(NOW);
  page.on('pageerror', (error) => console.error(error));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const names = await page.evaluate(() => window.gallery?.names ?? []);
  return {
    page,
    names,
    show: async (name, language = 'en') => {
      const clicked = await page.evaluate(([wanted, tag]) => window.gallery?.show(wanted, tag), [name, language] as const);
      for (const selector of clicked ?? []) {
        // A page that moves by itself under the pointer is scrolled by Playwright, and no longer follows its end.
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        await page.locator(selector).first().click();
      }
    },
    showLog: (events, language = 'en') =>
      page.evaluate(([wanted, tag]) => window.gallery?.showLog(wanted, tag), [events, language] as const),
    said: (name) => page.evaluate((wanted) => window.gallery?.said(wanted) ?? [], name),
    openPage: (viewport) => browser.newPage({ viewport }),
    close: async () => {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const makePage = async (): Promise<Record<'html' | 'script' | 'style' | 'settingsStyle' | 'diagrams', string>> => {
  const { outputFiles: drawing } = await bundleDiagrams();
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['test/gallery/page.ts', 'extension/sidepanel/sidepanel.css', 'extension/options/options.css'],
    outdir: 'gallery',
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'chrome120',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  });
  const logs = Object.fromEntries([
    ...recordings.map((name) => [name, recordedLog(claude, name)]),
    ...waitingRecordings.map((name) => [`asks-${name}`, recordedLog(claude, name, { isWaiting: true })]),
  ]);
  const panel = readFileSync(path.join(ROOT, 'extension/sidepanel/sidepanel.html'), 'utf8');
  const data = `<script id="logs" type="application/json">${JSON.stringify(logs).replaceAll('<', '\\u003c')}</script>`;
  const style = '<link rel="stylesheet" href="sidepanel.css" />';
  const styles = `${style.replace('<link', '<link data-page="panel"')}${style.replace('sidepanel', 'options').replace('<link', '<link data-page="settings"')}`;
  const html = panel
    .replace(style, styles)
    .replace('<script type="module" src="sidepanel.js"></script>', () => `${data}<script src="gallery.js"></script>`);
  const output = (ending: string): string => outputFiles.find(({ path: file }) => file.endsWith(ending))?.text ?? '';
  return {
    html,
    script: output('page.js'),
    diagrams: drawing[0]?.text ?? '',
    style: output('sidepanel.css'),
    settingsStyle: output('options.css'),
  };
};
