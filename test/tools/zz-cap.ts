import { startToolWorld } from './zz-world.ts';
const w = await startToolWorld();
try {
  const a = await w.open('settle.html');
  const shoot = async (label: string, args: object, n: number) => { const t: number[] = []; for (let i = 0; i < n; i++) { const s = performance.now(); const r = await a.call('browser_take_screenshot', args as any); t.push(Math.round(performance.now() - s)); if (r.isError) console.log(JSON.stringify(r)); } console.log(label.padEnd(14), t.join(' ')); };
  for (const front of [false, true]) {
    await a.text('browser_navigate', { url: w.url + '/settle.html' });
    if (front) await a.text('browser_tabs', { action: 'select', tabId: Number(/tab (\d+)/i.exec(await a.text('browser_snapshot'))![1]) });
    await a.text('browser_click', { target: '#popup', trusted: true });
    await a.text('browser_click', { target: '#slow-link' });
    await a.text('browser_navigate_back');
    await shoot('view', {}, 15); await shoot('full', { fullPage: true }, 15); await shoot('element', { target: 'h1' }, 10);
    await a.text('browser_navigate', { url: w.url + '/visual.html' });
    await shoot('view', {}, 10); await shoot('full', { fullPage: true }, 10); await shoot('element', { target: '#far' }, 10);
  }
} catch (e) { console.error(e); }
await w.close();
