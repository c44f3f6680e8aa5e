import WebSocket from 'ws';
import { startToolWorld } from './zz-world.ts';
const w = await startToolWorld();
try {
  const list = await (await fetch('http://127.0.0.1:9777/json/list')).json() as any[];
  const ws = new WebSocket(list.find((t) => t.type === 'service_worker').webSocketDebuggerUrl); await new Promise((r) => ws.on('open', r));
  let id = 0; const ev = (expression: string) => new Promise<any>((res) => { const me = ++id; ws.on('message', (m) => { const d = JSON.parse(String(m)); if (d.id === me) res(d.result?.result?.value ?? d); }); ws.send(JSON.stringify({ id: me, method: 'Runtime.evaluate', params: { expression, awaitPromise: true, returnByValue: true } })); });
  const C = '{format:"jpeg",captureBeyondViewport:true,clip:{x:0,y:0,width:800,height:600,scale:1}}';
  for (const [label, params, pre] of [
    ['bg color', C, "await chrome.debugger.sendCommand(t,'Emulation.setDefaultBackgroundColorOverride',{color:{r:255,g:255,b:255,a:1}});"],
    ['bg color late', C, "setTimeout(() => chrome.debugger.sendCommand(t,'Emulation.setDefaultBackgroundColorOverride',{color:{r:255,g:255,b:255,a:1}}).catch(()=>{}), 60);"],
    ['damage', C, "await chrome.debugger.sendCommand(t,'Runtime.evaluate',{expression:'document.documentElement.style.outline=Math.random()+\"px solid transparent\"'});"],
    ['metrics', C, "await chrome.debugger.sendCommand(t,'Emulation.setDeviceMetricsOverride',{width:800,height:600,deviceScaleFactor:0,mobile:false});"],
    ['lifecycle', C, "await chrome.debugger.sendCommand(t,'Page.enable',{});await chrome.debugger.sendCommand(t,'Page.setWebLifecycleState',{state:'active'});"],
    ['screencast', C, "await chrome.debugger.sendCommand(t,'Page.enable',{});await chrome.debugger.sendCommand(t,'Page.startScreencast',{format:'jpeg',quality:1,everyNthFrame:1});"],
  ] as const) {
    const a = await w.open('visual.html');
    const tab = Number(/tab (\d+)/i.exec(await a.text('browser_snapshot'))![1]);
    const out = await ev(`(async () => { const t = {tabId:${tab}}; const out = [];
      for (let i = 0; i < 16; i++) { const s = performance.now(); await chrome.debugger.attach(t, '1.3'); ${pre}
      const r = await Promise.race([chrome.debugger.sendCommand(t,'Page.captureScreenshot',${params}).catch((e) => ({data: String(e)})), new Promise((r) => setTimeout(() => r({data:'TIMEOUT'}), 5000))]);
      await chrome.debugger.detach(t).catch(() => {}); out.push(Math.round(performance.now() - s)); } return out.join(' '); })()`);
    console.log(label.padEnd(16), out);
  }
  ws.close();
} catch (e) { console.error(e); }
await w.close();
