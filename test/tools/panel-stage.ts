/** Parts of the panel on a plain page in real Chromium, without a content security policy that could hide a fault. */
import { build } from 'esbuild';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { servePages } from '#test/fixtures/page-server.ts';
import { findChromium } from '#test/fixtures/system-packages.ts';

export interface PanelPage {
  readonly page: Page;
  close(): Promise<void>;
}

/** Opens a page that runs `source`, a module that may import from `#extension/sidepanel`. */
export const openPanelPage = async (source: string): Promise<PanelPage> => {
  const { outputFiles } = await build({
    stdin: { contents: source, loader: 'js', resolveDir: path.join(import.meta.dirname, '..', '..') },
    bundle: true,
    write: false,
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
  });
  const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
  const server = await servePages({ '/': `<!doctype html><script>${script}</script><body></body>` });
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage();
  await page.goto(server.url);
  return {
    page,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
};
