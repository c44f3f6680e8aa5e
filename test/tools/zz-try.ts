import { startToolWorld } from '/work/main/test/tools/tool-world.ts';
const w = await startToolWorld();
const time = async (label: string, f: () => Promise<unknown>, n = 1) => { const ts: number[] = []; let r: unknown; for (let i = 0; i < n; i++) { const t = performance.now(); try { r = await f(); } catch (e) { r = 'ERR ' + (e as Error).message; } ts.push(performance.now() - t); } ts.sort((a, b) => a - b); console.log(`--- ${label} [p50 ${ts[ts.length >> 1]!.toFixed(1)} max ${ts.at(-1)!.toFixed(1)} ms]\n${String(r).slice(0, 1500)}`); return r as string; };
try {
  let a = await w.open('dense.html');
  const s = await time('dense snapshot', () => a.text('browser_snapshot'), 5);
  console.log(s.length, s.slice(0, 300), s.slice(-900));
  const all = await a.text('browser_snapshot', { maxTokens: 90000 });
  (await import('node:fs')).writeFileSync('/tmp/tok/dense.txt', all);
  
  
  a = await w.open('form.html');
  await time('tabs', () => a.text('browser_tabs', { action: 'list' }), 3);
  await time('type email', async () => a.text('browser_type', { target: '#email', text: 'ada@example.org', element: 'email' }), 3);
  await time('type slowly', async () => a.text('browser_type', { target: '#email', text: 'bob@example.org', slowly: true }));
  await time('type about', async () => a.text('browser_type', { target: 'textarea', text: 'Line 1\nLine 2' }));
  await time('select', async () => a.text('browser_type', { target: 'select', text: 'France' }));
  await time('select bad', async () => a.text('browser_type', { target: 'select', text: 'Spain' }));
  await time('date', async () => a.text('browser_type', { target: '[name=birthday]', text: '2001-02-03' }));
  await time('date bad', async () => a.text('browser_type', { target: '[name=birthday]', text: '3 Feb' }));
  await time('signature', async () => a.text('browser_type', { target: '#signature', text: 'Yours, Ada' }));
  await time('checkbox', async () => a.text('browser_click', { target: '[name=tips]' }));
  await time('toggle', async () => a.text('browser_click', { target: await a.ref(/Dark mode/) }));
  await time('card', async () => a.text('browser_click', { target: '#card' }));
  await time('trusted card', async () => a.text('browser_click', { target: '#card', trusted: true }));
  await time('submit', async () => a.text('browser_click', { target: await a.ref(/Create your/) }));
  await time('enter', async () => a.text('browser_type', { target: '#email', text: 'x@example.org', submit: true }));
  await time('bad args', async () => a.text('browser_click', { ref: 'e1', target: 5 }));
  await time('stale', async () => a.text('browser_click', { target: 'e9999' }));
  await time('file', async () => a.text('browser_click', { target: 'input[type=file]' }));
  await time('new tab link', async () => a.text('browser_click', { target: await a.ref(/privacy/) }));
  await time('snapshot', () => a.text('browser_snapshot'));
} catch (e) { console.error(e); }
await w.close();
