/** What moves, shows for a moment, is drawn or dragged, or gets in the way. */
import { type Kind, type Place, type Thing, html, kind } from './task.ts';

const COLORS = ['red', 'green', 'blue', 'orange', 'purple'];

/** Where a snapshot says that a shape is, by the middle of its box. */
const placeOf = ({ line }: Thing): Place => {
  const [, x, y] = /@(-?\d+),(-?\d+)/.exec(line) ?? [];
  if (x === undefined) throw new Error('its place is not told');
  return { x: Number(x), y: Number(y) };
};

const only = ([thing, other]: readonly Thing[]): Thing => {
  if (thing === undefined || other !== undefined) throw new Error('it cannot be told apart');
  return thing;
};

/** Moves an element with the pointer while it is held, and says when it is let go. */
const DRAGGABLE = `<script>
  const draggable = (element, dropped) => {
    element.style.position = 'relative';
    element.addEventListener('mousedown', (event) => {
      event.preventDefault();
      const from = [event.clientX - (parseFloat(element.style.left) || 0), event.clientY - (parseFloat(element.style.top) || 0)];
      const move = (seen) => {
        element.style.left = seen.clientX - from[0] + 'px';
        element.style.top = seen.clientY - from[1] + 'px';
      };
      document.addEventListener('mousemove', move);
      document.addEventListener('mouseup', (seen) => {
        document.removeEventListener('mousemove', move);
        dropped(element, seen);
      }, { once: true });
    });
  };
</script>`;

export const motion: readonly Kind[] = [
  kind('moving-items', (random) => {
    const colors = random.some(COLORS, 3);
    return {
      goal: `Press the moving circles in this order: ${colors.join(', ')}.`,
      html: html`<svg width="340" height="150">
          ${random
            .some(colors, 3)
            .map((color, at) => `<circle cx="170" cy="${25 + at * 50}" r="12" fill="${color}"/>`)
            .join('')}
        </svg>
        <script>
          const pressed = [];
          const move = (now) => {
            document.querySelectorAll('circle').forEach((circle, at) => circle.setAttribute('cx', 170 + 140 * Math.sin(now / 900 + at)));
            requestAnimationFrame(move);
          };
          requestAnimationFrame(move);
          on('circle', 'click', ({ currentTarget }) => {
            pressed.push(currentTarget.getAttribute('fill'));
            currentTarget.remove();
            if (pressed.length === 3) done(pressed.join() === '${colors.join()}');
          });
        </script>`,
      solve: async (hands) => {
        for (const color of colors) await hands.click(new RegExp(`^circle.*${color}`));
      },
    };
  }),
  kind('simon-says', (random) => {
    const order = random.some([0, 1, 2, 3], 4);
    return {
      goal: 'Press Show, then the boxes in the order in which they flash.',
      html: html`<style>
          .s {
            display: inline-block;
            width: 50px;
            height: 50px;
            margin: 4px;
            opacity: 0.3;
            cursor: pointer;
          }
          .s.lit {
            opacity: 1;
          }
        </style>
        <div>
          ${COLORS.slice(0, 4)
            .map((color) => `<div class="s" style="background:${color}"></div>`)
            .join('')}
        </div>
        <button>Show</button>
        <script>
          const boxes = [...document.querySelectorAll('.s')];
          const pressed = [];
          const show = (left) => {
            if (left.length === 0) return;
            boxes[left[0]].classList.add('lit');
            setTimeout(() => boxes[left[0]].classList.remove('lit'), 400);
            setTimeout(() => show(left.slice(1)), 700);
          };
          on('button', 'click', () => setTimeout(() => show([${order.join()}]), 500));
          on('.s', 'click', ({ currentTarget }) => {
            pressed.push(boxes.indexOf(currentTarget));
            if (pressed.length === 4) done(pressed.join() === '${order.join()}');
          });
        </script>`,
      solve: async (hands) => {
        await hands.click(/button "Show"/);
        const flashed = await hands.watch(4);
        if (flashed.length !== 4) throw new Error('what flashed is not told');
        for (const box of flashed) await hands.click(box);
      },
    };
  }),
  kind('draw-line', (random) => {
    const [left, right] = [40 + random.below(60), 200 + random.below(60)];
    return {
      goal: 'Draw a line from the red point to the blue one.',
      html: html`<svg width="300" height="120" style="border:1px solid">
          <circle cx="${String(left)}" cy="${String(30 + random.below(60))}" r="5" fill="red" />
          <circle cx="${String(right)}" cy="${String(30 + random.below(60))}" r="5" fill="blue" />
        </svg>
        <script>
          const isNear = (color, { clientX, clientY }) => {
            const { x, y, width } = $('[fill=' + color + ']').getBoundingClientRect();
            return Math.hypot(clientX - x - width / 2, clientY - y - width / 2) < 4;
          };
          let begun = false;
          on('svg', 'mousedown', (event) => {
            begun = isNear('red', event);
            event.preventDefault();
          });
          on('svg', 'mouseup', (event) => done(begun && isNear('blue', event)));
        </script>`,
      solve: async (hands) => {
        const [from, to] = [only(await hands.all(/^circle.*\bred\b/)), only(await hands.all(/^circle.*\bblue\b/))];
        await hands.dragAt(placeOf(from), placeOf(to));
      },
    };
  }),
  kind('circle-center', (random) => {
    const [x, y] = [70 + random.below(150), 60 + random.below(30)];
    return {
      goal: 'Mark the centre of the circle, then submit.',
      html: html`<svg width="300" height="160">
          <circle cx="${String(x)}" cy="${String(y)}" r="50" fill="none" stroke="black" pointer-events="all" />
        </svg>
        <button>Submit</button>
        <script>
          let distance = Infinity;
          on('svg', 'click', ({ clientX, clientY, currentTarget }) => {
            const { left, top } = currentTarget.getBoundingClientRect();
            distance = Math.hypot(clientX - left - ${String(x)}, clientY - top - ${String(y)});
          });
          on('button', 'click', () => done(distance < 3));
        </script>`,
      solve: async (hands) => {
        await hands.clickAt(placeOf(only(await hands.all(/^circle/))));
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('find-midpoint', (random) => {
    const points = [0, 1].map((at) => ({ x: 30 + at * 160 + random.below(60), y: 20 + random.below(90) }));
    return {
      goal: 'Press the middle between the two points, then submit.',
      html: html`<svg width="300" height="130" style="border:1px solid">
          ${points.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="4" fill="black"/>`).join('')}
        </svg>
        <button>Submit</button>
        <script>
          const goal = [...document.querySelectorAll('circle')].map((circle) => circle.getBoundingClientRect());
          let distance = Infinity;
          on('svg', 'click', ({ clientX, clientY }) => {
            distance = Math.hypot(clientX - (goal[0].x + goal[1].x + 8) / 2, clientY - (goal[0].y + goal[1].y + 8) / 2);
          });
          on('button', 'click', () => done(distance < 4));
        </script>`,
      solve: async (hands) => {
        const [one, other] = (await hands.all(/^circle/)).map(placeOf);
        if (one === undefined || other === undefined) throw new Error('the points are not told');
        await hands.clickAt({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('click-pie', (random) => {
    const goal = random.below(8);
    return {
      goal: `Open the pie menu and press ${String(goal)}.`,
      html: html`<svg width="200" height="200">
          <g id="slices"></g>
          <circle cx="100" cy="100" r="20" fill="gray" />
        </svg>
        <script>
          const at = (angle, radius) => 100 + radius * Math.cos(angle) + ',' + (100 + radius * Math.sin(angle));
          on('circle', 'click', () => {
            $('#slices').innerHTML = Array.from({ length: 8 }, (_, n) => {
              const [from, to] = [(n * Math.PI) / 4, ((n + 1) * Math.PI) / 4];
              const path = 'M' + at(from, 25) + 'L' + at(from, 90) + 'A90,90 0 0 1 ' + at(to, 90) + 'L' + at(to, 25);
              const [x, y] = at((from + to) / 2, 60).split(',');
              return (
                '<g class="slice" data-n="' +
                n +
                '"><path d="' +
                path +
                'Z" fill="#9cf" stroke="white"/><text x="' +
                x +
                '" y="' +
                y +
                '">' +
                n +
                '</text></g>'
              );
            }).join('');
            on('.slice', 'click', ({ currentTarget }) => done(currentTarget.dataset.n === '${String(goal)}'));
          });
        </script>`,
      solve: async (hands) => {
        await hands.click(/^circle.*\bgray\b/);
        await hands.clickWords(String(goal));
      },
    };
  }),
  kind('drag-box', (random) => ({
    goal: 'Drag the small box into the large one, then submit.',
    html: html`${DRAGGABLE}
      <div id="small" style="width:40px;height:40px;background:${random.pick(COLORS)};cursor:move"></div>
      <div id="large" style="width:120px;height:120px;margin-left:${String(60 + random.below(120))}px;border:1px solid"></div>
      <button>Submit</button>
      <script>
        draggable($('#small'), () => {});
        on('button', 'click', () => {
          const [small, large] = ['#small', '#large'].map((id) => $(id).getBoundingClientRect());
          done(small.left >= large.left && small.right <= large.right && small.top >= large.top && small.bottom <= large.bottom);
        });
      </script>`,
    solve: async (hands) => {
      await hands.drag(/#small/, /#large/);
      await hands.click(/button "Submit"/);
    },
  })),
  kind('drag-sort-numbers', (random) => {
    const numbers = random.some([3, 8, 12, 25, 41, 57], 4);
    const sorted = numbers.toSorted((one, other) => one - other);
    return {
      goal: 'Sort the numbers by dragging, the smallest first, then submit.',
      html: html`${DRAGGABLE}
        <ul>
          ${numbers.map((number) => `<li style="width:90px;border:1px solid;cursor:move">${String(number)}</li>`).join('')}
        </ul>
        <button>Submit</button>
        <script>
          document.querySelectorAll('li').forEach((item) =>
            draggable(item, (dragged, { clientX, clientY }) => {
              dragged.style.left = dragged.style.top = '0';
              const others = [...document.querySelectorAll('li')];
              const over = document.elementsFromPoint(clientX, clientY).find((other) => other.matches('li') && other !== dragged);
              if (over) over[others.indexOf(over) < others.indexOf(dragged) ? 'before' : 'after'](dragged);
            }),
          );
          on('button', 'click', () =>
            done([...document.querySelectorAll('li')].map((item) => item.textContent).join() === '${sorted.join()}'),
          );
        </script>`,
      solve: async (hands) => {
        const order = [...numbers];
        for (const [place, number] of sorted.entries()) {
          const other = order[place];
          if (other === undefined || other === number) continue;
          await hands.dragWords(String(number), String(other));
          order.splice(order.indexOf(number), 1);
          order.splice(place, 0, number);
        }
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('stock-market', (random) => {
    const goal = 40 + random.below(9);
    return {
      goal: `Buy as soon as the price is $${String(goal)}.`,
      html: html`<p>Price: <b id="price">$60.00</b></p>
        <button>Buy</button>
        <script>
          const prices = [58, 55, 61, 52, ${String(goal)}];
          const timer = setInterval(() => {
            $('#price').textContent = '$' + prices.shift() + '.00';
            if (prices.length === 0) clearInterval(timer);
          }, 600);
          on('button', 'click', () => done($('#price').textContent === '$${String(goal)}.00'));
        </script>`,
      solve: async (hands) => {
        await hands.waitFor(`$${String(goal)}.00`);
        await hands.click(/button "Buy"/);
      },
    };
  }),
  kind('sign-agreement', () => ({
    goal: 'Read the terms to their end and agree.',
    html: html`<div id="terms" style="height:90px;width:300px;overflow:auto;border:1px solid">
        ${'<p>Nobody may do what nobody could do anyway.</p>'.repeat(30)}
      </div>
      <button disabled>Agree</button>
      <script>
        on('#terms', 'scroll', ({ target }) => {
          if (target.scrollTop + target.clientHeight > target.scrollHeight - 5) $('button').disabled = false;
        });
        on('button', 'click', () => done(true));
      </script>`,
    solve: async (hands) => {
      await hands.scrollToEnd('#terms');
      await hands.click(/button "Agree"/);
    },
  })),
  kind('login-user-popup', (random) => {
    const [user, word] = [random.pick(['ada', 'boris', 'chloe']), random.pick(['lemon', 'mirror', 'needle'])];
    return {
      goal: `Log in as ${user} with the password ${word}.`,
      html: html`<label>Username <input id="u" /></label><br /><label>Password <input id="p" type="password" /></label><br /><button
          id="go"
        >
          Login
        </button>
        <div id="over" style="display:none;position:fixed;inset:0;background:#eeee">
          <p>Your session will soon end.</p>
          <button>Stay</button>
        </div>
        <script>
          on('#u', 'input', () => setTimeout(() => ($('#over').style.display = 'block'), 50), { once: true });
          on('#over button', 'click', () => $('#over').remove());
          on('#go', 'click', () => done(!$('#over') && $('#u').value === '${user}' && $('#p').value === '${word}'));
        </script>`,
      solve: async (hands) => {
        await hands.type(/textbox "Username"/, user);
        await hands.click(/button "Stay"/);
        await hands.type(/textbox "Password"/, word);
        await hands.click(/button "Login"/);
      },
    };
  }),
  kind('terminal', (random) => {
    const name = random.pick(['notes', 'photo', 'track']);
    const ending = random.pick(['gif', 'txt', 'zip']);
    return {
      goal: `List the files in the terminal with ls, then remove the one that ends in .${ending} with rm.`,
      html: html`<pre id="screen" style="background:#000;color:#0f0;height:120px;margin:0"></pre>
        <script>
          let [said, line] = ['', ''];
          const draw = () => ($('#screen').textContent = said + '$ ' + line);
          document.addEventListener('keydown', ({ key }) => {
            if (key === 'Enter') {
              if (line.startsWith('rm ')) done(line === 'rm ${name}.${ending}');
              said += '$ ' + line + '\\n' + (line === 'ls' ? 'main.sh ${name}.${ending} readme\\n' : '');
              line = '';
            } else if (key === 'Backspace') line = line.slice(0, -1);
            else if (key.length === 1) line += key;
            draw();
          });
          draw();
        </script>`,
      solve: async (hands) => {
        for (const key of ['l', 's', 'Enter']) await hands.press(key);
        const file = new RegExp(`main\\.sh (\\w+\\.${ending})`).exec(await hands.text())?.[1] ?? '';
        for (const key of ['r', 'm', 'Space', ...file.split(''), 'Enter']) await hands.press(key);
      },
    };
  }),
];
