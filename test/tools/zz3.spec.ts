import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe } from 'vitest';
import { plainTest as test } from './tool-test.ts';
import { openHidden, openShown } from './tool-stage.ts';

const many = (n: number): string => `<!doctype html><title>Many</title><h1>Many</h1><button id=go onclick="out.textContent='went '+(++k)">Go</button><input id=name aria-label=Name><p id=out>none</p><div id=h></div><button id=last>Last</button><script>let k=0;const parts=[];for(let i=0;i<${n}/3;i++)parts.push('<div><span>item '+i+'</span><b>x</b></div>');h.innerHTML=parts.join('')</script>`;
const line = (i: number): string => `2026-11-29T12:00:00.${i} INFO worker ${i % 17} handled request /api/items/${i} in ${i % 400} ms`;
const pages: Record<string, [string, () => string]> = {
  k500: ['text/html', () => many(500_000)],
  m1: ['text/html', () => many(1_000_000)],
  area: ['text/html', () => `<!doctype html><title>Area</title><textarea id=t aria-label=Log rows=10 cols=80></textarea><button id=go onclick="out.textContent='went'">Go</button><p id=out>none</p><script>t.value='some words of a log line\\n'.repeat(${Math.round(20e6 / 25)})</script>`],
  log: ['text/plain', () => Array.from({ length: 400_000 }, (_, i) => line(i)).join('\n')],
  json: ['application/json', () => JSON.stringify(Array.from({ length: 250_000 }, (_, i) => ({ id: i, name: `item ${i}`, tags: ['a', 'b'], ok: i % 2 === 0, price: i / 7 })))],
  jsonline: ['application/json', () => JSON.stringify({ data: 'x'.repeat(30e6) })],
  rows: ['text/html', () => `<!doctype html><title>Rows</title><table><thead><tr><th>Id<th>Name<th>Act</tr></thead><tbody id=b></tbody></table><p id=out></p><script>const p=[];for(let i=0;i<200000;i++)p.push('<tr><td>'+i+'<td>Name '+i+'<td><button onclick="out.textContent=this.id" id=r'+i+'>Edit</button></tr>');b.innerHTML=p.join('')</script>`],
  links: ['text/html', () => `<!doctype html><title>Links</title><ul id=u></ul><p id=out></p><script>const p=[];for(let i=0;i<60000;i++)p.push('<li><a href="#l'+i+'">Link number '+i+'</a></li>');u.innerHTML=p.join('')</script>`],
  closed: ['text/html', () => many(700_000).replace('</script>', ";window.attach=()=>{const s=out.attachShadow({mode:'closed'});s.innerHTML='<button onclick=\"this.textContent=1\">Late shadow</button><input type=password value=hunter22secret>';}</script>")],
};
let server: ReturnType<typeof createServer>; let url = '';
const cache = new Map<string, string>();
beforeAll(async () => { server = createServer((q, r) => { const name = (q.url ?? '').slice(1).split('?')[0] ?? ''; const p = pages[name]; if (!p) { r.statusCode = 404; r.end(); return; } r.setHeader('content-type', p[0]); const body = cache.get(name) ?? p[1](); cache.set(name, body); r.end(body); }); await new Promise<void>((d) => server.listen(0, '127.0.0.1', d)); url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; });
afterAll(() => server.close());
const only = process.env['ONLY']?.split(',');
const calls: Record<string, [string, Record<string, unknown>][]> = {
  k500: [['browser_snapshot', {}], ['browser_snapshot', {}], ['browser_find', { text: 'item 1234' }], ['browser_read', {}], ['browser_click', { target: '#go' }], ['browser_click', { target: 'text=Go' }], ['browser_type', { target: '#name', text: 'ann' }], ['browser_wait_for', { text: 'went 1' }], ['browser_evaluate', { function: '() => document.title' }], ['browser_take_screenshot', {}], ['browser_scroll', { target: '#last' }], ['browser_hover', { target: '#go' }], ['browser_press_key', { key: 'a', target: '#name' }], ['browser_click', { target: '#go', trusted: true }]],
  area: [['browser_snapshot', {}], ['browser_find', { text: 'words' }], ['browser_read', {}], ['browser_click', { target: '#go' }], ['browser_type', { target: '#t', text: 'short' }], ['browser_evaluate', { function: '() => t.value.length' }]],
  log: [['browser_snapshot', {}], ['browser_find', { text: 'items/399999' }], ['browser_read', {}], ['browser_evaluate', { function: '() => document.body.innerText.length' }], ['browser_evaluate', { function: '() => document.body.innerText' }], ['browser_wait_for', { text: 'items/399999 ' }], ['browser_take_screenshot', {}], ['browser_scroll', { direction: 'down' }], ['browser_click', { target: 'body' }]],
  rows: [['browser_snapshot', {}], ['browser_snapshot', { maxTokens: 2000 }], ['browser_find', { text: 'Name 150000' }], ['browser_read', {}], ['browser_click', { target: '#r150000' }], ['browser_click', { target: 'text=Edit' }], ['browser_evaluate', { function: '() => out.textContent' }], ['browser_snapshot', { target: 'tr:nth-child(150001)' }]],
  links: [['browser_snapshot', {}], ['browser_snapshot', {}], ['browser_find', { text: 'Link number 50000' }], ['browser_read', {}], ['browser_click', { target: 'text=Link number 50000' }], ['browser_click', { target: 'a:nth-child(1)' }], ['browser_hover', { target: 'text=Link number 3' }]],
  closed: [['browser_snapshot', {}], ['browser_find', { text: 'Late' }], ['browser_evaluate', { function: '() => attach()' }], ['browser_find', { text: 'Late shadow' }], ['browser_click', { target: 'text=Late shadow' }], ['browser_evaluate', { function: '() => "hunter22secret"' }]],
};
calls['m1'] = calls['k500'] ?? []; calls['json'] = (calls['log'] ?? []).slice(0, 6); calls['jsonline'] = calls['json'];
for (const [how, open] of [['hidden', openHidden], ['shown', openShown]] as const)
describe(how, () => {
  for (const name of Object.keys(pages).filter((n) => !only || only.includes(n)))
    test(name, async ({ stage }) => {
      const agent = await open(stage, 'click.html');
      for (const [tool, args] of [['browser_navigate', { url: `${url}/${name}` }] as [string, Record<string, unknown>], ...(calls[name] ?? [])]) {
        const t0 = performance.now();
        const r = await agent.call(tool, args);
        const text = r.content.map((c) => ('text' in c ? String(c['text']) : `(${c.type})`)).join(' ');
        console.log(`## ${how} ${name} ${tool} ${JSON.stringify(args).slice(0, 60)} ${Math.round(performance.now() - t0)} ms ${r.isError ? 'ERR ' : ''}${text.length} chars: ${text.replaceAll('\n', '/').replace(/<\/?\w+( untrusted[^>]*)?>/g, '').slice(0, 150)} … ${text.length > 150 ? text.replaceAll('\n', '/').slice(-Number(process.env['TAIL'] ?? 130)) : ''}`);
      }
    }, 400000);
});
