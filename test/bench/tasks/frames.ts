/** What stands in frames and shadow roots, in all ways in which one holds the other. */
import { type Kind, html, kind } from './task.ts';

/** Takes the place of the port of the bench's pages, which their server knows. */
export const PORT = '%PORT%';

/** The task's own page is at the first of them. */
const OWN = '127.0.0.1';
const OTHER = 'localhost';

const BUTTON = `<button onclick="top.postMessage('done', '*')">Inside</button>`;

const frame = (host: string, inner: string): string =>
  `<iframe title="Frame" src="http://${host}:${PORT}/inner?html=${encodeURIComponent(inner)}"></iframe>`;

const shadow = (mode: 'open' | 'closed', inner: string): string => `<div><template shadowrootmode="${mode}">${inner}</template></div>`;

const press = (name: string, inner: string): Kind =>
  kind(name, () => ({
    goal: 'Press Inside.',
    html: html`${inner}
      <script>
        addEventListener('message', ({ data }) => data === 'done' && done(true));
      </script>`,
    solve: (hands) => hands.click(/button "Inside"/),
  }));

export const frames: readonly Kind[] = [
  kind('inside-frame', () => ({
    goal: 'Press Inside.',
    html: html`<iframe title="Frame" srcdoc="<button onclick='parent.done(true)'>Inside</button>"></iframe>
      <script>
        window.done = done;
      </script>`,
    solve: (hands) => hands.click(/button "Inside"/),
  })),
  kind('open-shadow', () => ({
    goal: 'Enter "fish" and submit.',
    html: html`<div id="host"></div>
      <script>
        const root = $('#host').attachShadow({ mode: 'open' });
        root.innerHTML = '<input aria-label="Word"><button>Submit</button>';
        root.querySelector('button').addEventListener('click', () => done(root.querySelector('input').value === 'fish'));
      </script>`,
    solve: async (hands) => {
      await hands.type(/textbox "Word"/, 'fish');
      await hands.click(/button "Submit"/);
    },
  })),
  kind('closed-shadow', () => ({
    goal: 'Press Inside.',
    html: html`<div id="host">light</div>
      <script>
        const root = $('#host').attachShadow({ mode: 'closed' });
        root.innerHTML = '<button>Inside</button><slot></slot>';
        root.querySelector('button').addEventListener('click', () => done(true));
      </script>`,
    solve: (hands) => hands.click(/button "Inside"/),
  })),
  press('frame-of-own-site', frame(OWN, BUTTON)),
  press('frame-of-other-site', frame(OTHER, BUTTON)),
  press('frames-three-deep', frame(OTHER, frame(OWN, frame(OTHER, BUTTON)))),
  press('frame-in-open-shadow', shadow('open', frame(OTHER, BUTTON))),
  press('frame-in-closed-shadow', shadow('closed', frame(OTHER, BUTTON))),
  press('closed-shadow-in-frame', frame(OTHER, shadow('closed', BUTTON))),
  kind('frames-in-shadow', (random) => {
    const rooms = random.some(['Kitchen', 'Hall', 'Attic'], 3);
    const goal = random.pick(rooms);
    const button = (room: string): string => `<p>${room}</p><button onclick="top.postMessage('${room}', '*')">Light</button>`;
    return {
      goal: `Press the light in the ${goal}.`,
      html: html`${shadow('open', rooms.map((room, index) => frame(index === 1 ? OTHER : OWN, button(room))).join(''))}
        <script>
          addEventListener('message', ({ data }) => done(data === '${goal}'));
        </script>`,
      solve: async (hands) => {
        const lights = await hands.all(/button "Light"/);
        // Each frame says first which room it is.
        const shown = [...(await hands.text()).matchAll(/\b(Kitchen|Hall|Attic)$/gm)].map(([, room]) => room);
        const light = lights[shown.indexOf(goal)];
        if (light === undefined) throw new Error('there is no such light');
        await hands.click(light);
      },
    };
  }),
  press('shadow-in-shadow', shadow('closed', shadow('open', BUTTON))),
];
