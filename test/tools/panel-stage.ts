/** Parts of the panel on a plain page in real Chromium, without a content security policy that could hide a fault. */
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { bundleDiagrams } from '#installer/build-extension.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { servePages } from '#test/fixtures/page-server.ts';
import { type Reusable, sharingAcrossFiles } from '#test/fixtures/shared.ts';
import { findChromium } from '#test/fixtures/system-packages.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

interface PanelStage {
  /** One for the tests of a file. */
  site: { url: string };
  /** A page that runs the source, in a profile of its own. */
  page: Page;
}

interface BareBrowser extends Reusable {
  readonly browser: Browser;
}

const startBrowser = async (): Promise<BareBrowser> => {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'], timeout: HANG_MS });
  return { browser, tidy: () => {}, close: () => browser.close() };
};

/** Each test has a profile of its own in it. */
const bareTest = sharingAcrossFiles(startBrowser);

/** Tests of pages that run `source`, a module that may import from `#extension/sidepanel`. */
export const panelTest = (source: string) =>
  bareTest.extend<PanelStage>({
    site: [
      // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
      async ({}, use) => {
        const script = (await bundle(source)).replaceAll('</script', '<\\/script');
        const { outputFiles } = await bundleDiagrams();
        // Under a name that no file has: what throws in the page is looked up by its path when it is reported.
        const server = await servePages({
          '/panel.test': `<!doctype html><script>${script}</script><body></body>`,
          '/diagram.html': readFileSync(path.join(ROOT, 'extension/sidepanel/diagram.html'), 'utf8'),
          '/diagram.js': outputFiles[0]?.text ?? '',
        });
        await use({ url: `${server.url}/panel.test` });
        await server.close();
      },
      { scope: 'file' },
    ],
    page: async ({ site, stage }, use) => {
      const page = await stage.browser.newPage();
      page.setDefaultTimeout(HANG_MS);
      await page.goto(site.url);
      await use(page);
      await page.close();
    },
  });

const bundle = async (source: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: source, loader: 'js', resolveDir: ROOT },
    bundle: true,
    write: false,
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
};
