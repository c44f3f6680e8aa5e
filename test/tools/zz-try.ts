import { startToolWorld } from './zz-world.ts';
const w = await startToolWorld();
const time = async (label: string, f: () => Promise<unknown>, n = 1) => { const ts: number[] = []; let r: unknown; for (let i = 0; i < n; i++) { const t = performance.now(); try { r = await f(); } catch (e) { r = 'ERR ' + (e as Error).message; } ts.push(performance.now() - t); } ts.sort((a, b) => a - b); console.log(`--- ${label} [p50 ${ts[ts.length >> 1]!.toFixed(1)} max ${ts.at(-1)!.toFixed(1)} ms]\n${String(r).replaceAll(/<\/?page-.*>\n?/g, '').slice(0, 500)}`); return r as string; };
try {
  const a = await w.open('settle.html');
  for (const front of [false, true]) {
    if (front) { await a.text('browser_navigate', { url: w.url + '/settle.html' }); await time('select', async () => a.text('browser_tabs', { action: 'select', tabId: Number(/tab (\d+)/i.exec(await a.text('browser_snapshot'))![1]) })); }
    await time('nothing', () => a.text('browser_click', { target: '#nothing' }), 10);
    await time('fetch', () => a.text('browser_click', { target: '#fetch' }), 2);
    await time('timers', () => a.text('browser_click', { target: '#timers' }));
    await time('snap', () => a.text('browser_snapshot', { target: '#list' }));
    await time('popup', () => a.text('browser_click', { target: '#popup' }));
    await time('snap', () => a.text('browser_snapshot', { target: '#out' }));
    await time('popup trusted', () => a.text('browser_click', { target: '#popup', trusted: true }));
    await time('cover short', () => a.text('browser_click', { target: '#cover-short' }));
    await time('covered shortly', () => a.text('browser_click', { target: '#nothing' }));
    await time('move', () => a.text('browser_click', { target: '#move' }));
    await time('mover', () => a.text('browser_click', { target: '#mover' }));
    await time('link', () => a.text('browser_click', { target: '#slow-link' }));
    await time('type', () => a.text('browser_type', { target: '#email', text: 'x@y.z', submit: true }));
    await time('slowly', () => a.text('browser_type', { target: '#email', text: 'slow@y.z', slowly: true }));
    await time('signature', () => a.text('browser_type', { target: '#signature', text: 'bg' }));
    await time('back bfcache', () => a.text('browser_navigate_back'));
    await time('shot', async () => JSON.stringify(await a.call('browser_take_screenshot')).slice(0, 200), 5);
    await time('full', async () => JSON.stringify(await a.call('browser_take_screenshot', { fullPage: true })).slice(0, 200), 3);
    await time('nav', () => a.text('browser_navigate', { url: w.url + '/dense.html' }), 5);
    await time('snapshot dense', async () => (await a.text('browser_snapshot')).length, 5);
  }
  await a.text('browser_navigate', { url: w.url + '/settle.html' });
  await time('alert', () => a.text('browser_click', { target: '#alert' }));
  await time('snap', () => a.text('browser_snapshot', { target: '#out' }));
} catch (e) { console.error(e); }
await w.close();
