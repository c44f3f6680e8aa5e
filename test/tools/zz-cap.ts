import WebSocket from 'ws';
import { startToolWorld } from './zz-world.ts';
const w = await startToolWorld();
try {
  const list = await (await fetch('http://127.0.0.1:9777/json/list')).json() as any[];
  const sw = list.find((t) => t.type === 'service_worker');
  const ws = new WebSocket(sw.webSocketDebuggerUrl); await new Promise((r) => ws.on('open', r));
  let id = 0; const ev = (expression: string) => new Promise<any>((res) => { const me = ++id; ws.on('message', (m) => { const d = JSON.parse(String(m)); if (d.id === me) res(d.result?.result?.value ?? d); }); ws.send(JSON.stringify({ id: me, method: 'Runtime.evaluate', params: { expression, awaitPromise: true, returnByValue: true } })); });
  for (const [label, params, focus, fresh] of [
    ['clip beyond', '{format:"jpeg",captureBeyondViewport:true,clip:{x:0,y:0,width:800,height:600,scale:1}}', false, true],
    ['plain', '{format:"jpeg"}', false, true],
    ['plain focus', '{format:"jpeg"}', true, true],
    ['clip beyond focus', '{format:"jpeg",captureBeyondViewport:true,clip:{x:0,y:0,width:800,height:600,scale:1}}', true, true],
    ['clip nobeyond focus', '{format:"jpeg",clip:{x:0,y:0,width:800,height:600,scale:1}}', true, true],
    ['full focus', '{format:"jpeg",captureBeyondViewport:true,clip:{x:0,y:0,width:800,height:3000,scale:0.5}}', true, true],
    ['plain nosurface', '{format:"jpeg",fromSurface:false}', false, true],
  ] as const) {
    const a = await w.open('visual.html');
    const tab = Number(/tab (\d+)/i.exec(await a.text('browser_snapshot'))![1]);
    const out = await ev(`(async () => { const t = {tabId:${tab}}; const out = []; let s = performance.now(); const lap = (n) => { out.push(n + ' ' + (performance.now() - s).toFixed(0)); s = performance.now(); };
      await chrome.debugger.attach(t, '1.3'); lap('attach');
      ${focus ? "await chrome.debugger.sendCommand(t,'Emulation.setFocusEmulationEnabled',{enabled:true}); lap('focus');" : ''}
      for (let i = 0; i < 3; i++) { const r = await Promise.race([chrome.debugger.sendCommand(t,'Page.captureScreenshot',${params}).catch((e) => ({data: String(e)})), new Promise((r) => setTimeout(() => r({data:'TIMEOUT'}), 15000))]); lap('shot' + i + ' ' + r.data.length); }
      await chrome.debugger.detach(t); lap('detach'); return out.join(' | '); })()`);
    console.log(label, '=>', out);
  }
  ws.close();
} catch (e) { console.error(e); }
await w.close();
