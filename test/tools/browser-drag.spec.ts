import { describe, expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

const says = (html: string): string => `says?text=${encodeURIComponent(html)}`;

describe('a page that leaves while something of it is dragged', () => {
  test('takes no hand along to the page that comes', async ({ stage }) => {
    // The hand is held up until the other page is there.
    const heard = `<title>Bank</title><p id="heard">untouched</p>
      <script>fetch('/let-go?drag');
      for (const type of ['pointermove', 'mousemove', 'pointerup', 'mouseup'])
        addEventListener(type, () => { document.getElementById('heard').textContent = 'touched'; }, true);</script>`;
    const leaving = `<div id="thumb" style="height:99px">Thumb</div><p id="goal">Goal</p><script>
      addEventListener('pointerdown', () => { location = ${JSON.stringify(`${stage.otherUrl}/${says(heard)}`)}; });
      addEventListener('pointermove', ({ buttons }) => {
        if (buttons === 0) return;
        const held = new XMLHttpRequest();
        held.open('GET', '/held?drag', false);
        held.send();
      });
      </script>`;
    const agent = await stage.open(says(leaving));

    expect(await agent.error('browser_drag', { startTarget: '#thumb', endTarget: '#goal' })).toMatch(/^DOCUMENT_CHANGED/);

    await agent.text('browser_wait_for', { text: 'touched' });
    expect(await agent.text('browser_snapshot')).toContain('untouched');
  });
});

describeTabs(
  (how) => `browser_drag in a ${how} tab`,
  ({ open }) => {
    test("drops on what takes it by the browser's own drag and drop, and says when nothing does", async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_drag', { startTarget: '#card', endTarget: '#goal' })).toContain('Nothing was dropped');
      expect(await agent.text('browser_drag', { startTarget: '#card', endTarget: await agent.ref(/^region "Box"/) })).toMatch(
        /^Dragged\..*status = "dropped"/s,
      );
      expect(JSON.stringify(agent.asked)).toMatch(/Card.*Dropped on/s);
    });

    test('drops what only the press makes draggable, when there is room for it, and the mouse goes on', async ({ stage }) => {
      const agent = await open(
        stage,
        says(`<ul id="list" style="line-height: 30px"><li>One</li><li>Two</li><li>Three</li></ul><p id="out"></p><button>Next</button>
          <script>
            let dragged;
            let isMoving = false;
            list.onmousedown = ({ target }) => { (dragged = target).draggable = true; };
            list.ondragover = (event) => {
              event.preventDefault();
              const { target } = event;
              if (isMoving || target === dragged || target === list) return;
              isMoving = true;
              target.after(dragged);
              target.animate([{ translate: '0 30px' }, { translate: '0 0' }], 150).onfinish = () => { isMoving = false; };
            };
            list.ondrop = () => { out.textContent = [...list.children].map((item) => item.textContent).join(' '); };
            document.querySelector('button').onclick = ({ isTrusted }) => { if (isTrusted) out.textContent = 'pressed'; };
          </script>`),
      );

      const dragged = await agent.text('browser_drag', { startTarget: 'text=One', endTarget: 'text=Three' });
      expect(dragged).toMatch(/^Dragged\..*Two Three One/s);
      // Where it stands now.
      expect(dragged).toMatch(/\n- .*Three\n- .*One\n/);
      expect(await agent.text('browser_drag', { startTarget: 'text=Two', endTarget: 'button' })).toContain(
        'Nothing was dropped there, but the page has moved it on the way',
      );
      expect(await agent.text('browser_click', { target: 'button', trusted: true })).toContain('pressed');
    });

    test('holds still until what was pressed can be moved, in the page and in a frame of it', async ({ stage }) => {
      const held = `<button id="card">Card</button><br><br><button id="goal">Goal</button><p id="out"></p><script>
          let inHand = false;
          card.onpointerdown = () => {
            const grip = setTimeout(() => { inHand = true; }, 400);
            onpointermove = () => { if (!inHand) clearTimeout(grip); };
            onpointerup = ({ clientY }) => {
              out.textContent = inHand && clientY > goal.getBoundingClientRect().top ? 'dropped' : 'not in the hand';
            };
          };
        </script>`;
      const agent = await open(stage, says(held));
      const framed = await open(stage, says(`<iframe srcdoc="${held.replaceAll('"', '&quot;')}" style="height: 200px"></iframe>`));

      expect(await agent.text('browser_drag', { startTarget: '#card', endTarget: '#goal' })).toMatch(/^Dragged\..*\ndropped\n/s);

      const startTarget = await framed.ref(/^button "Card"/);
      const endTarget = await framed.ref(/^button "Goal"/);
      expect(await framed.text('browser_drag', { startTarget, endTarget })).toMatch(/^Dragged\..*\ndropped\n/s);
    });

    test('brings what is not in view with it there while it drags, by events, by the hand and in a part that scrolls', async ({
      stage,
    }) => {
      const far = `<div id="part" style="height: 300px; overflow: auto">
          <p id="card" draggable="true">Card</p><button id="knob" style="touch-action: none">Knob</button>
          <div style="height: 3000px"></div><button id="goal" style="height: 60px">Goal</button></div><p id="out">nothing</p><script>
          const say = (how, { clientX, clientY }) => {
            const { left, right, top, bottom } = goal.getBoundingClientRect();
            const isOver = clientX > left && clientX < right && clientY > top && clientY < bottom;
            out.textContent = how + (isOver ? ' over the goal' : ' beside it');
          };
          goal.ondragover = (event) => event.preventDefault();
          goal.ondrop = (event) => say('dropped', event);
          let moved = 0;
          knob.onpointerdown = ({ clientY: from }) => {
            onpointermove = ({ clientY }) => { moved = Math.max(moved, Math.abs(clientY - from)); };
            onpointerup = (event) => say(moved > 8 ? 'let go' : 'never moved', event);
          };
        </script>`;
      const agent = await open(stage, says(far));
      const framed = await open(stage, says(`<iframe srcdoc="${far.replaceAll('"', '&quot;')}" style="height: 400px"></iframe>`));

      for (const [startTarget, how] of [
        ['#card', 'dropped'],
        ['#knob', 'let go'],
      ] as const)
        expect(await agent.text('browser_drag', { startTarget, endTarget: '#goal' })).toContain(`${how} over the goal`);

      const endTarget = await framed.ref(/^button "Goal"/);
      expect(await framed.text('browser_drag', { startTarget: await framed.ref(/^button "Knob"/), endTarget })).toContain(
        'let go over the goal',
      );
    });

    test('moves what follows a captured pointer', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');

      expect(await agent.text('browser_drag', { startTarget: '#thumb', endTarget: '#goal' })).toContain('dragged right');
    });

    test('goes from place to place of the last picture', async ({ stage }) => {
      const agent = await open(stage, 'hands.html');
      // As large as it is, so that its pixels are those of the page.
      await agent.text('browser_resize', { width: 800, height: 600 });
      const code = `() => { document.getElementById('track').scrollIntoView();
        const { left, top, right } = document.getElementById('track').getBoundingClientRect(); return [left, top, right, devicePixelRatio]; }`;
      const [, found = '[]'] = /(\[[^]*?\])/.exec(await agent.text('browser_evaluate', { function: code })) ?? [];
      const [left = 0, top = 0, right = 0] = JSON.parse(found) as number[];
      expect(await agent.error('browser_drag', { startX: left, startY: top, endX: right })).toContain('"endX" and "endY"');
      await agent.call('browser_take_screenshot', { scale: 'css' });
      const places = { startX: left + 8, startY: top + 8, endX: right - 8, endY: top + 8 };

      expect(await agent.text('browser_drag', { ...places, startElement: 'The thumb' })).toContain('dragged right');

      expect(JSON.stringify(agent.asked)).toContain('The thumb');
    });

    test('draws along a way, in the page and in a frame of another site', { tags: 'whole' }, async ({ stage }) => {
      const drawing = `<body style="margin: 0"><canvas width="300" height="200"></canvas><p id="said"></p><script>
          const canvas = document.querySelector("canvas");
          const angles = new Set();
          let farthest = 0;
          canvas.onpointermove = ({ buttons, offsetX, offsetY }) => {
            if (buttons !== 1) return;
            angles.add(Math.floor((Math.atan2(offsetY - 100, offsetX - 150) / Math.PI + 1) * 6) % 12);
            farthest = Math.max(farthest, Math.abs(Math.hypot(offsetX - 150, offsetY - 100) - 60));
          };
          canvas.onpointerup = () => { said.textContent = "Parts " + angles.size + ", off by " + (farthest < 3 ? "little" : farthest); };
        </script>`;
      const circle = (left: number, top: number): Record<string, unknown> => {
        const at = (part: number): number[] => [
          left + 150 + 60 * Math.cos((part * Math.PI) / 18),
          top + 100 + 60 * Math.sin((part * Math.PI) / 18),
        ];
        const [startX, startY] = at(0);
        const path = Array.from({ length: 35 }, (_, part) => at(part + 1)).flat();
        return { startX, startY, path, endX: startX, endY: startY };
      };
      const agent = await open(stage, says(drawing));
      const inner = `${stage.otherUrl}/${says(drawing)}`;
      const framed = await open(
        stage,
        says(`<body style="margin: 0"><iframe src="${inner}" style="border: 0; margin: 20px; width: 320px; height: 250px">`),
      );
      const target = await framed.ref(/^canvas/);
      for (const one of [agent, framed]) await one.text('browser_take_screenshot', { scale: 'css' });

      expect(await agent.text('browser_drag', circle(0, 0))).toContain('Parts 12, off by little');
      expect(await framed.text('browser_drag', { startTarget: target, endTarget: target, ...circle(20, 20) })).toContain(
        'Parts 12, off by little',
      );
      expect(await agent.error('browser_drag', { ...circle(0, 0), path: [1, 2, 3] })).toContain('pairs of x and y');
    });

    test(
      'drops from frame to frame of one site what the browser carries, and nothing into another site',
      { tags: 'whole' },
      async ({ stage }) => {
        const card = `<div draggable="true" onclick="" ondragstart="event.dataTransfer.setData('text/plain', 'card 7')" ondragend="this.append(' has gone')">Card</div>`;
        const zone = `<button ondragover="event.preventDefault()" ondrop="this.append(' has ' + event.dataTransfer.getData('text/plain'))">Zone</button>`;
        const agent = await open(
          stage,
          says(`<h1>Board</h1><iframe src="/${says(card)}"></iframe><iframe src="/${says(zone)}"></iframe>
          <iframe src="${stage.otherUrl}/${says(zone.replace('Zone', 'Other'))}"></iframe>`),
        );
        const startTarget = await agent.ref(/^clickable "Card"/);

        expect(await agent.text('browser_drag', { startTarget, endTarget: await agent.ref(/^button "Zone"/) })).toMatch(
          /^Dragged\..*button "Zone has card 7"/s,
        );
        expect(await agent.text('browser_snapshot')).toContain('clickable "Card has gone"');
        const endTarget = await agent.ref(/^button "Other"/);
        expect(await agent.error('browser_drag', { startTarget, endTarget })).toContain('pages of two sites');
        expect(await agent.text('browser_drop', { target: endTarget, data: { 'text/plain': 'card 7' } })).toContain('"Other has card 7"');
        expect(await agent.error('browser_drag', { startTarget: 'h1', endTarget: await agent.ref(/^button "Zone/) })).toContain(
          'does not leave its frame',
        );
      },
    );
  },
);
