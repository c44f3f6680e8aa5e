import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_wait_for in a ${how} tab`,
  ({ open }) => {
    test('waits through text, shadow roots, fades, frames, routes and another page', async ({ stage }) => {
      const agent = await open(stage, 'waiting.html');
      const wait = (args: Record<string, unknown>): Promise<string> => agent.text('browser_wait_for', args);

      expect(await wait({ text: 'ALL  done' })).toContain('All done');
      expect(await wait({ text: 'Card full', textGone: 'Working' })).toContain('Card full');
      expect(await wait({ text: 'Faded in' })).toContain('It came true');
      expect(await wait({ text: ['Never to be seen', 'Inner ready'] })).toContain('Inner ready');
      expect(await wait({ text: 'Inner ready' })).toContain('Inner ready');
      expect(await wait({ url: '#arrived' })).toContain('#arrived');
      await agent.text('browser_click', { target: '#leave' });
      expect(await wait({ text: 'Create an account', url: '**/form.*' })).toContain('title: Create an account');
    });

    test('hears of a frame that comes late into a page in which nothing else changes', async ({ stage }) => {
      const add = `document.body.append(Object.assign(document.createElement("iframe"), { src: "/slow.html" }))`;
      const agent = await open(stage, `says?text=${encodeURIComponent(`<p>Page</p><script>setTimeout(() => ${add}, 200)</script>`)}`);

      expect(await agent.text('browser_wait_for', { text: 'Slow page' })).toMatch(/^It came true/);
    });

    test('says what did not come, and what it needs', async ({ stage }) => {
      const agent = await open(stage, 'waiting.html?still');

      expect(await agent.error('browser_wait_for', { text: 'Never to be seen', time: 0.3 })).toContain(
        'text "Never to be seen" did not come true',
      );
      expect(await agent.error('browser_wait_for', { text: 'planted-9c2e', time: 0.2 })).toContain('TOOL_TIMEOUT');
      expect(await agent.error('browser_wait_for', { text: 'Never to be seen', timeout: '200' })).toMatch(/Waited 0\.\d s/);
      expect(await agent.error('browser_wait_for', { text: ['Never', 'Nowhere'], time: 0.2 })).toContain(
        'text "Never" or "Nowhere" did not',
      );
      expect(await agent.error('browser_wait_for', {})).toContain('needs "text"');
      expect(await agent.text('browser_wait_for', { textGone: 'Never to be seen' })).toContain('It was so already');
      expect(await agent.error('browser_wait_for', { time: 31 })).toContain('"time"');
      expect(await agent.text('browser_wait_for', { time: 0.1 })).toContain('Waited 0.');
      expect(agent.asked).toEqual([]);
    });

    test('tells what showed for a moment since the last action, in its order, and nothing that goes on all the time or is secret', async ({
      stage,
    }) => {
      const page = `<style>.lit { background: red } @keyframes blink { from { opacity: 0 } } .on { animation: blink 0.3s }</style>
        <div id="one" style="width: 40px; height: 40px; background: blue"></div><div id="two"></div>
        <svg width="60" height="60"><circle id="three" r="20" fill="gray"></circle></svg><p id="count">Ready</p><p id="list"></p>
        <p id="dots" style="-webkit-text-security: disc">none</p><i id="mover">i</i><button>Go</button><script>
          const steps = [() => (two.className = "lit"), () => (two.className = ""), () => three.setAttribute("fill", "red"),
            () => three.setAttribute("fill", "gray"), () => (one.style.opacity = 0.5), () => (one.style.opacity = ""),
            () => (count.textContent = "Seven"), () => (count.textContent = "Wait"), () => list.append(document.createElement("b"), "Zebra"),
            () => list.replaceChildren(), () => (dots.textContent = "hidden-word"), () => (dots.textContent = "none"), () => (two.className = "on")];
          const step = () => { steps.shift()?.(); setTimeout(step, 120); };
          const move = (now) => { mover.style.marginLeft = now % 90 + "px"; requestAnimationFrame(move); };
          document.querySelector("button").onclick = () => { setTimeout(step, 100); requestAnimationFrame(move); };
        </script>`;
      const agent = await open(stage, `says?text=${encodeURIComponent(page)}`);
      await agent.text('browser_click', { target: 'button' });

      const said = await agent.text('browser_wait_for', { time: 2.5 });

      expect(said).toContain('What came and went since your last action, in its order:');
      const lines = said.split('\n').filter((line) => /^\d\.\d s /.test(line));
      expect(lines).toEqual([
        expect.stringMatching(/^0\.0 s \[e\d+ element #two .*\] class "lit", for 0\.\d s$/),
        expect.stringMatching(/\[e\d+ element #three gray .*\] fill "red"/),
        expect.stringMatching(/\[e\d+ element #one blue 40×40@\d+,\d+\] style "opacity: 0.5"/),
        expect.stringMatching(/ s text "Seven", for/),
        expect.stringMatching(/ s text "Zebra", for/),
        expect.stringMatching(/\[e\d+ .*#two .*\] animation "blink", for 0\.\d s/),
      ]);
      expect(await agent.text('browser_wait_for', { time: 0.1 })).not.toContain('came and went');
    });

    test('tells what showed for a moment in a frame of another site in which the agent has acted', { tags: 'whole' }, async ({ stage }) => {
      const flashing = `<button onclick="setTimeout(() => (said.textContent = 'Seven'), 100); setTimeout(() => (said.textContent = 'Wait'), 400)">Go</button><p id="said">Ready</p>`;
      const ticking = `<p id="tick">0</p><script>setInterval(() => { tick.textContent = "Advert " + Date.now(); }, 150)</script>`;
      const frames = [flashing, ticking].map((inner) => `<iframe src="${stage.otherUrl}/says?text=${encodeURIComponent(inner)}"></iframe>`);
      const agent = await open(stage, `says?text=${encodeURIComponent(frames.join(''))}`);
      const target = await agent.ref(/^button "Go"/);

      const clicked = await agent.text('browser_click', { target });
      const said = await agent.text('browser_wait_for', { time: 1 });

      expect(clicked).toMatch(/ untrusted http:\/\/localhost:\d+>/);
      expect(said.split('\n').filter((line) => /^\d\.\d s /.test(line))).toEqual([
        expect.stringMatching(/^0\.0 s (?:\[f\d+e\d+ .*\] )?text "Seven", for 0\.\d s$/),
      ]);
    });

    test('waits for the answer to a request, also where nothing changes in the page', async ({ stage }) => {
      const agent = await open(stage, 'network.html?later');
      await agent.text('browser_click', { target: '#later' });

      const said = await agent.text('browser_wait_for', { response: '/late-data?ms=100', time: 5 });

      expect(said).toMatch(/^It came true after \d\.\d s\.\n<\w{7} untrusted http:\/\/127/);
      expect(said).toMatch(/\d+\. GET http:\S+\/late-data\?ms=100 200 fetch \d+ ms/);
      expect(said).not.toContain('network.html?later 200');
    });

    test('counts an answer that came between the last action and the wait, and none from before', async ({ stage }) => {
      const agent = await open(stage, 'network.html?between');
      await agent.text('browser_click', { target: '#send' });
      await agent.text('browser_snapshot');

      const said = await agent.text('browser_wait_for', { response: '**/says?text=*' });
      await agent.text('browser_click', { target: '#refused' });
      const missed = await agent.error('browser_wait_for', { response: '/says', time: 0.2 });

      expect(said).toMatch(/POST \S+\/says\?text=answer&api_key=\[secret\] 200 fetch \d+ ms/);
      expect(missed).toMatch(
        /^TOOL_TIMEOUT: .*response "\/says" did not come true.*1 request since the last action.*browser_network_requests/,
      );
      expect(missed).toMatch(/<\w{7} untrusted http[^>]*>[^]*GET http:\/\/127\.0\.0\.1:1\/ net::ERR_\w+ fetch/);
      expect(missed).not.toContain('says?text');
    });

    test('tells nothing of secrets in the addresses of requests', async ({ stage }) => {
      const agent = await open(stage, 'network.html?secret');
      await agent.text('browser_click', { target: '#send' });

      const guessed = await agent.error('browser_wait_for', { response: 'api_key=s3cr3tvalue', time: 0.1 });

      expect(guessed).toContain('api_key=[secret]');
      expect(guessed.replace('response "api_key=s3cr3tvalue"', '')).not.toContain('s3cr3tvalue');
    });

    test('ends when it is stopped, and the next call works', async ({ stage }) => {
      const agent = await open(stage, 'waiting.html?still');
      const stop = new AbortController();
      const waits = agent.call('browser_wait_for', { text: 'Never', time: 30 }, { signal: stop.signal });

      stop.abort();

      expect(JSON.stringify(await waits)).toContain('CALL_CANCELLED');
      expect(await agent.text('browser_find', { text: 'pears' })).toContain('Pears');
    });
  },
);
