import { describe } from 'vitest';
import { test } from './tool-test.ts';
import { openHidden } from './tool-stage.ts';
describe('hidden', () => {
    test(`x`, async ({ stage }) => {
      const page = `<!doctype html><title>Turned</title>
      <iframe title=js src="javascript:'<p>js frame words</p><button>JS button</button>'"></iframe>
      <iframe title=blank></iframe><iframe title=doc srcdoc="<p>doc words</p><button>Doc button</button>"></iframe>`;
      await openHidden(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);
      const f = await stage.browser.worker.evaluate(async () => {
        const tabs = await chrome.tabs.query({}); const out = [];
        for (const t of tabs) { const fr = await chrome.webNavigation.getAllFrames({ tabId: t.id! }); if (fr && fr.length > 1) { out.push(fr); const r = await chrome.scripting.executeScript({ target: { tabId: t.id!, allFrames: true }, func: () => [location.href, document.body?.innerText, origin] }).catch((e) => String(e)); out.push(r); const r2 = await chrome.scripting.executeScript({ target: { tabId: t.id!, allFrames: true }, func: () => [location.href, document.body?.innerText, origin], injectImmediately: true }).catch((e) => String(e)); out.push(r2);} }
        return out; });
      console.log(JSON.stringify(f, null, 1).replaceAll('\n', '\n## '));
    }, 120000);
});
