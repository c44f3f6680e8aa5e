import { startToolWorld } from './tool-world.ts';
const w = await startToolWorld();
try {
  const a = await w.open('form.html');
  if (process.argv[2]) await new Promise((r) => setTimeout(r, 1500));
  await a.text('browser_navigate', { url: `${w.url}/shadow.html` });
  console.log(await w.pageAt('shadow.html').evaluate('history.length'));
  console.log(await w.browser.worker.evaluate(async () => { const [t] = await chrome.tabs.query({ url: '*://*/shadow.html' }); return chrome.tabs.goBack(t!.id!).then(() => 'ok', (e) => String(e)); }));
} catch (e) { console.error(e); }
await w.close();
