/** The tasks, in the manner of MiniWoB++ and of pages that give trouble. */
import { frames } from './frames.ts';
import { motion } from './motion.ts';
import { products } from './products.ts';
import { type Kind, html, kind } from './task.ts';

const WORDS = 'apple basket candle dolphin engine forest guitar harbor island jacket kettle lemon mirror needle orange'.split(' ');
const NAMES = ['Ada', 'Boris', 'Chloe', 'Dmitri', 'Elena', 'Farid', 'Grace', 'Hugo'];
const COLORS = ['red', 'green', 'blue', 'yellow', 'purple', 'orange', 'black', 'pink'];

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
/** A value inside a script. */
const js = (value: unknown): string => JSON.stringify(value);
const buttons = (names: readonly string[]): string => names.map((name) => `<button>${name}</button>`).join(' ');
const exactly = (name: string): RegExp => new RegExp(`(?:^|\\s|")${name}(?:"|\\s|$)`);
const named = (role: string, name: string): RegExp => new RegExp(`${role} "${name}"`);

const BUTTON_DONE = `<script>on('#area button', 'click', (event) => done(event.currentTarget.textContent === goal));</script>`;
const goalIs = (value: unknown): string => `<script>const goal = ${js(value)};</script>`;

const plain: readonly Kind[] = [
  kind('click-button', (random) => {
    const names = random.some(WORDS, 5).map(capital);
    const goal = random.pick(names);
    return {
      goal: `Press the button ${goal}.`,
      html: buttons(names) + goalIs(goal) + BUTTON_DONE,
      solve: (hands) => hands.click(named('button', goal)),
    };
  }),
  kind('click-link', (random) => {
    const names = random.some(WORDS, 8);
    const goal = random.pick(names);
    return {
      goal: `Follow the link ${goal}.`,
      html: html`<p>${names.map((name) => `Some text <a href="#${name}">${name}</a>`).join(', ')}</p>
        ${goalIs(goal)}
        <script>
          on('a', 'click', (event) => done(event.currentTarget.textContent === goal));
        </script>`,
      solve: (hands) => hands.click(named('link', goal)),
    };
  }),
  kind('click-checkboxes', (random) => {
    const names = random.some(WORDS, 7);
    const goal = names.slice(0, 3);
    const shown = random.some(names, 7);
    return {
      goal: `Check ${goal.join(', ')} and submit.`,
      html: html`${shown.map((name) => `<label><input type="checkbox" value="${name}"> ${name}</label><br>`).join('')}<button>
          Submit
        </button>
        ${goalIs(goal.toSorted())}
        <script>
          on('button', 'click', () =>
            done(JSON.stringify([...document.querySelectorAll(':checked')].map((box) => box.value).sort()) === JSON.stringify(goal)),
          );
        </script>`,
      solve: async (hands) => {
        for (const name of goal) await hands.click(named('checkbox', name));
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('click-option', (random) => {
    const names = random.some(WORDS, 5);
    const goal = random.pick(names);
    return {
      goal: `Choose ${goal} and submit.`,
      html: html`${names.map((name) => `<input type="radio" name="r" id="${name}"><label for="${name}">${name}</label><br>`).join('')}<button>
          Submit
        </button>
        ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($(':checked')?.id === goal));
        </script>`,
      solve: async (hands) => {
        await hands.click(named('radio', goal));
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('enter-text', (random) => {
    const goal = random.some(WORDS, 2).join(' ');
    return {
      goal: `Enter "${goal}" and submit.`,
      html: html`<input id="t" aria-label="Text" /> <button>Submit</button> ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($('#t').value === goal));
        </script>`,
      solve: async (hands) => {
        await hands.type(/textbox "Text"/, goal);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('enter-date', (random) => {
    const goal = `20${10 + random.below(15)}-0${1 + random.below(9)}-1${random.below(9)}`;
    return {
      goal: `Enter the date ${goal} and submit.`,
      html: html`<input id="t" type="date" aria-label="Day" /> <button>Submit</button> ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($('#t').value === goal));
        </script>`,
      solve: async (hands) => {
        await hands.type(/^(?!.*(?:spinbutton|button )).*"Day"/, goal);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('login-user', (random) => {
    const [user = '', word = ''] = random.some(WORDS, 2);
    return {
      goal: `Log in as ${user} with the password ${word}.`,
      html: html`<label>Username <input id="u" /></label><br /><label>Password <input id="p" type="password" /></label><br /><button>
          Login
        </button>
        ${goalIs([user, word])}
        <script>
          on('button', 'click', () => done($('#u').value === goal[0] && $('#p').value === goal[1]));
        </script>`,
      solve: async (hands) => {
        await hands.type(/textbox "Username"/, user);
        await hands.type(/textbox "Password"/, word);
        await hands.click(/button "Login"/);
      },
    };
  }),
  kind('choose-list', (random) => {
    const names = random.some(WORDS, 8);
    const goal = random.pick(names);
    return {
      goal: `Choose ${goal} from the list and submit.`,
      html: html`<select aria-label="List">
          ${names.map((name) => `<option>${name}</option>`).join('')}
        </select>
        <button>Submit</button> ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($('select').value === goal));
        </script>`,
      solve: async (hands) => {
        await hands.choose(/combobox "List"/, [goal]);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('use-slider', (random) => {
    const goal = 10 + random.below(80);
    return {
      goal: `Set the slider to ${goal} and submit.`,
      html: html`<input type="range" aria-label="Level" min="0" max="100" value="5" /> <button>Submit</button> ${goalIs(String(goal))}
        <script>
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        await hands.type(/slider "Level"/, String(goal));
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('search-engine', (random) => {
    const goal = random.pick(WORDS);
    return {
      goal: `Search for ${goal} and open the third result.`,
      html: html`<form><input type="search" aria-label="Search" /><button>Go</button></form>
        <div id="out"></div>
        ${goalIs(goal)}
        <script>
          on('form', 'submit', (event) => {
            event.preventDefault();
            const word = $('input').value;
            setTimeout(() => {
              $('#out').innerHTML = [1, 2, 3, 4].map((n) => '<p><a href="#">' + word + ' ' + n + '</a></p>').join('');
              on('#out a', 'click', (seen) => done(seen.currentTarget.textContent === goal + ' 3'));
            }, 150);
          });
        </script>`,
      solve: async (hands) => {
        await hands.type(/searchbox "Search"/, goal);
        await hands.click(/button "Go"/);
        await hands.click(named('link', `${goal} 3`));
      },
    };
  }),
  kind('navigate-tree', (random) => {
    const [first = '', second = '', third = ''] = random.some(NAMES, 3);
    return {
      goal: `Find ${third} in the tree and press it.`,
      html: html`<details>
          <summary>${first}</summary>
          <details>
            <summary>${second}</summary>
            <button>${third}</button>
          </details>
        </details>
        <script>
          on('button', 'click', () => done(true));
        </script>`,
      solve: async (hands) => {
        for (const name of [first, second, third]) await hands.click(exactly(name));
      },
    };
  }),
  kind('book-flight', (random) => {
    const [from = '', to = ''] = random.some(['Berlin', 'Madrid', 'Oslo', 'Paris', 'Quito', 'Rome'], 2);
    return {
      goal: `Book the cheapest flight from ${from} to ${to}.`,
      html: html`<input id="from" placeholder="From" /> <input id="to" placeholder="To" />
        <ul id="list"></ul>
        <button id="search">Search</button>
        <div id="out"></div>
        ${goalIs([from, to])}
        <script>
          const cities = ['Berlin', 'Madrid', 'Oslo', 'Paris', 'Quito', 'Rome'];
          const chosen = {};
          on('input', 'input', (event) => {
            const field = event.target;
            $('#list').innerHTML = '';
            for (const city of cities.filter((name) => field.value !== '' && name.startsWith(field.value))) {
              const item = document.createElement('li');
              item.textContent = city;
              item.style.cursor = 'pointer';
              $('#list').append(item);
              item.addEventListener('click', () => {
                field.value = city;
                chosen[field.id] = city;
                $('#list').innerHTML = '';
              });
            }
          });
          on('#search', 'click', () => {
            const right = chosen.from === goal[0] && chosen.to === goal[1];
            $('#out').innerHTML = [310, 120, 450]
              .map((price) => '<p>Flight for $' + price + ' <button data-price="' + price + '">Book $' + price + '</button></p>')
              .join('');
            on('#out button', 'click', (seen) => done(right && seen.currentTarget.dataset.price === '120'));
          });
        </script>`,
      solve: async (hands) => {
        await hands.type(/textbox "From"/, from);
        await hands.clickWords(from);
        await hands.type(/textbox "To"/, to);
        await hands.clickWords(to);
        await hands.click(/button "Search"/);
        await hands.click(/button "Book \$120"/);
      },
    };
  }),
];

const drawn: readonly Kind[] = [
  kind('white-on-dark', (random) => {
    const names = random.some(WORDS, 4).map(capital);
    const goal = random.pick(names);
    return {
      goal: `Press ${goal}.`,
      html: html`<div style="background:#000;color:#fff;padding:9px">
          ${names.map((name) => `<div class="b" tabindex="0">${name}</div>`).join('')}
        </div>
        ${goalIs(goal)}
        <script>
          on('.b', 'click', (event) => done(event.currentTarget.textContent === goal));
        </script>`,
      solve: (hands) => hands.click(exactly(goal)),
    };
  }),
  kind('read-white-on-dark', (random) => {
    const goal = random.pick(WORDS);
    return {
      goal: 'Enter the word in the banner.',
      html: html`<p style="background:#111;color:#fff">The word is ${goal}.</p>
        <input aria-label="Word" /><button>Submit</button> ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        const text = await hands.text();
        if (/invisible: "The word is/.test(text)) throw new Error('it is called invisible');
        await hands.type(/textbox "Word"/, /The word is (\w+)/.exec(text)?.[1] ?? '');
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('click-shape', (random) => {
    const [right = '', ...others] = random.some(COLORS, 5);
    const shapes = random.some([right, ...others], 5);
    return {
      goal: `Press the ${right} circle.`,
      html: html`<svg width="300" height="80">
          ${shapes.map((color, at) => `<circle cx="${30 + at * 55}" cy="40" r="18" fill="${color}"/>`).join('')}
        </svg>
        ${goalIs(right)}
        <script>
          on('circle', 'click', (event) => done(event.currentTarget.getAttribute('fill') === goal));
        </script>`,
      solve: (hands) => hands.click(new RegExp(`circle.*\\b${right}\\b`)),
    };
  }),
  kind('count-shape', (random) => {
    const count = 2 + random.below(4);
    return {
      goal: 'How many circles are there? Press the number.',
      html: html`<svg width="300" height="80">
          ${Array.from({ length: count }, (_, at) => `<circle cx="${20 + at * 40}" cy="20" r="12" fill="teal"/>`).join('')}
          <rect x="20" y="50" width="20" height="20" fill="red" /></svg
        ><br />${buttons(['1', '2', '3', '4', '5', '6'])} ${goalIs(String(count))}${BUTTON_DONE}`,
      solve: async (hands) => hands.click(named('button', String((await hands.all(/^circle/)).length))),
    };
  }),
  kind('grid-coordinate', (random) => {
    const [x, y] = [random.below(5) - 2, random.below(5) - 2];
    const points = [-2, -1, 0, 1, 2].flatMap((row) => [-2, -1, 0, 1, 2].map((column) => [column, row] as const));
    return {
      goal: `Press the grid point (${x},${y}); the middle is (0,0).`,
      html: html`<svg width="220" height="220">
          ${points.map(([column, row]) => `<circle cx="${110 + column * 40}" cy="${110 - row * 40}" r="6" data-at="${column},${row}"/>`).join('')}
        </svg>
        ${goalIs(`${x},${y}`)}
        <script>
          on('circle', 'click', (event) => done(event.currentTarget.dataset.at === goal));
        </script>`,
      solve: async (hands) => {
        const found = (await hands.all(/^circle/)).map((thing) => {
          const [, left = '', top = ''] = /@(-?\d+),(-?\d+)/.exec(thing.line) ?? [];
          return { thing, left: Number(left), top: Number(top) };
        });
        const middle = found.toSorted((one, other) => one.top - other.top || one.left - other.left)[12];
        const target = found.find((at) => at.left === (middle?.left ?? 0) + x * 40 && at.top === (middle?.top ?? 0) - y * 40);
        if (target === undefined) throw new Error('the points cannot be told apart');
        await hands.click(target.thing);
      },
    };
  }),
  kind('click-color', (random) => {
    const colors = random.some(['red', 'green', 'blue', 'yellow'], 4);
    const goal = random.pick(colors);
    return {
      goal: `Press the ${goal} box.`,
      html: html`${colors.map((color) => `<div class="c" data-color="${color}" style="display:inline-block;width:40px;height:40px;margin:4px;background:${color}"></div>`).join('')}
        ${goalIs(goal)}
        <script>
          on('.c', 'click', (event) => done(event.currentTarget.dataset.color === goal));
        </script>`,
      solve: (hands) => hands.click(new RegExp(`\\b${goal}\\b`)),
    };
  }),
  kind('tic-tac-toe', (random) => {
    const free = random.below(9);
    return {
      goal: 'Take the one free cell.',
      html: html`<table>
          ${[0, 1, 2].map((row) => `<tr>${[0, 1, 2].map((column) => `<td style="border:1px solid #000;width:30px;height:30px" data-at="${row * 3 + column}"></td>`).join('')}</tr>`).join('')}
        </table>
        ${goalIs(String(free))}
        <script>
          document.querySelectorAll('td').forEach((cell) => {
            if (cell.dataset.at !== goal && cell.dataset.at % 2) cell.textContent = 'X';
          });
          on('td', 'click', (event) => done(event.currentTarget.dataset.at === goal));
        </script>`,
      solve: async (hands) => {
        // Cells in reading order; which one is meant is told by its place.
        const cells = (await hands.all(/^(?:box|cell|gridcell)/)).filter(({ line }) => !/"X"/.test(line));
        const order = Array.from({ length: 9 }, (_, at) => at).filter((at) => at === free || at % 2 === 0);
        const cell = cells[order.indexOf(free)];
        if (cell === undefined || cells.length !== order.length) throw new Error('the cells cannot be told apart');
        await hands.click(cell);
      },
    };
  }),
  kind('email-inbox', (random) => {
    const senders = random.some(NAMES, 4);
    const goal = random.pick(senders);
    const verb = random.pick(['trash', 'star', 'reply']);
    return {
      goal: `Use ${verb} on the mail of ${goal}.`,
      html: html`<style>
          .icon {
            display: inline-block;
            width: 16px;
            height: 16px;
            border: 1px solid #888;
          }
        </style>
        ${senders.map((name) => `<div class="mail" data-name="${name}"><b>${name}</b> <span class="icon reply"></span> <span class="icon star"></span> <span class="icon trash"></span></div>`).join('')}
        ${goalIs(`${goal} ${verb}`)}
        <script>
          on('.icon', 'click', (event) =>
            done(event.currentTarget.parentElement.dataset.name + ' ' + event.currentTarget.classList[1] === goal),
          );
        </script>`,
      solve: async (hands) => {
        const icons = await hands.all(new RegExp(verb));
        const icon = icons[senders.indexOf(goal)];
        if (icon === undefined) throw new Error('the icons cannot be told apart');
        await hands.click(icon);
      },
    };
  }),
  kind('social-media', (random) => {
    const goal = random.pick(['heart', 'share', 'trash']);
    return {
      goal: `Press the ${goal} icon.`,
      html: html`${random
          .some(['heart', 'share', 'trash', 'reply'], 4)
          .map((name) => `<button><svg class="lucide lucide-${name}" width="16" height="16"><path d="M0 0h9v9z"/></svg></button>`)
          .join(' ')}
        ${goalIs(goal)}
        <script>
          on('button', 'click', (event) => done(event.currentTarget.innerHTML.includes('lucide-' + goal)));
        </script>`,
      solve: (hands) => hands.click(new RegExp(`button.*${goal}`)),
    };
  }),
  kind('generated-text', (random) => {
    const names = random.some(WORDS, 3).map(capital);
    const goal = random.pick(names);
    return {
      goal: `Press ${goal}.`,
      html: html`<style>
          ${names.map((name, at) => `.g${at}::before{content:"${name}"}`).join('')}
        </style>
        ${names.map((_, at) => `<button class="g${at}"></button>`).join(' ')}
        <script>
          on('button', 'click', (event) => done(event.currentTarget.className === 'g${String(names.indexOf(goal))}'));
        </script>`,
      solve: (hands) => hands.click(named('button', goal)),
    };
  }),
  kind('svg-text', (random) => {
    const names = random.some(WORDS, 4);
    const goal = random.pick(names);
    return {
      goal: `Press the word ${goal}.`,
      html: html`<svg width="300" height="120">${names.map((name, at) => `<text x="10" y="${25 + at * 25}">${name}</text>`).join('')}</svg>
        ${goalIs(goal)}
        <script>
          on('text', 'click', (event) => done(event.currentTarget.textContent === goal));
        </script>`,
      solve: (hands) => hands.clickWords(goal),
    };
  }),
];

const hard: readonly Kind[] = [
  kind('click-words', (random) => {
    const names = random.some(WORDS, 4);
    const goal = random.pick(names);
    return {
      goal: `Press the word ${goal}; only a listener says that it can be pressed.`,
      html: html`${names.map((name) => `<div><span class="w">${name}</span></div>`).join('')} ${goalIs(goal)}
        <script>
          on('.w', 'click', (event) => done(event.currentTarget.textContent === goal));
        </script>`,
      solve: (hands) => hands.clickWords(goal),
    };
  }),
  kind('click-tab', (random) => {
    const goal = 1 + random.below(3);
    return {
      goal: `Open tab ${goal} and press the button in it.`,
      html: html`<div><span class="t">Tab 1</span> <span class="t">Tab 2</span> <span class="t">Tab 3</span></div>
        <div id="in"></div>
        ${goalIs(`Tab ${goal}`)}
        <script>
          on('.t', 'click', (event) => {
            const name = event.currentTarget.textContent;
            $('#in').innerHTML = '<button>Inside</button>';
            on('#in button', 'click', () => done(name === goal));
          });
        </script>`,
      solve: async (hands) => {
        await hands.clickWords(`Tab ${goal}`);
        await hands.click(/button "Inside"/);
      },
    };
  }),
  kind('hidden-from-readers', (random) => {
    const names = random.some(WORDS, 3).map(capital);
    const goal = random.pick(names);
    return {
      goal: `Press ${goal}.`,
      html: `<div aria-hidden="true">${buttons(names)}</div>${goalIs(goal)}${BUTTON_DONE}`,
      solve: (hands) => hands.click(named('button', goal)),
    };
  }),
  kind('long-list', (random) => {
    const goal = `City ${20 + random.below(40)}`;
    return {
      goal: 'Choose the city with the mark and submit.',
      html: html`<select aria-label="City">
          ${Array.from({ length: 60 }, (_, at) => `<option>${`City ${at}` === goal ? `City ${at} (this one)` : `City ${at}`}</option>`).join('')}
        </select>
        <button>Submit</button>
        <script>
          on('button', 'click', () => done($('select').value.includes('this one')));
        </script>`,
      solve: async (hands) => {
        const text = await hands.text();
        const found = /City \d+ \(this one\)/.exec(text)?.[0];
        await hands.choose(/combobox "City"/, [found ?? `${goal} (this one)`]);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('multiple-select', (random) => {
    const [first = '', second = '', third = ''] = random.some(WORDS, 3);
    return {
      goal: `Choose only ${second} and ${third}, and submit.`,
      html: html`<select multiple aria-label="Items">
          <option selected>${first}</option>
          <option>${second}</option>
          <option>${third}</option>
        </select>
        <button>Submit</button> ${goalIs([second, third].toSorted())}
        <script>
          on('button', 'click', () =>
            done(JSON.stringify([...$('select').selectedOptions].map((one) => one.value).sort()) === JSON.stringify(goal)),
          );
        </script>`,
      solve: async (hands) => {
        await hands.choose(/listbox "Items"/, [second, third]);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('input-mask', (random) => {
    const digits = String(100_000 + random.below(899_999));
    return {
      goal: `Enter the digits ${digits} and submit.`,
      html: html`<input aria-label="Code" /> <button>Submit</button> ${goalIs(`${digits.slice(0, 3)}-${digits.slice(3)}`)}
        <script>
          on('input', 'keydown', (event) => {
            if (event.key.length > 1 || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            if (!event.isTrusted) return;
            const field = event.target;
            const all = (field.selectionEnd > field.selectionStart ? '' : field.value).replace('-', '') + event.key;
            field.value = all.length > 3 ? all.slice(0, 3) + '-' + all.slice(3) : all;
          });
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        await hands.type(/textbox "Code"/, digits);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('rich-editor', (random) => {
    const goal = random.some(WORDS, 2).join(' ');
    return {
      goal: `Replace the text by "${goal}" and submit.`,
      html: html`<div id="e" contenteditable="true" role="textbox" aria-label="Editor">Old text</div>
        <button>Submit</button> ${goalIs(goal)}
        <script>
          let text = 'Old text';
          const draw = () => {
            $('#e').textContent = text;
          };
          // As rich editors do: the text is the page's own, changed by editing events alone, and drawn again after each.
          on('#e', 'beforeinput', (event) => {
            event.preventDefault();
            const whole = getSelection().toString() === text;
            text = (whole ? '' : text) + (event.data ?? event.dataTransfer?.getData('text/plain') ?? '');
            draw();
            getSelection().selectAllChildren($('#e'));
            getSelection().collapseToEnd();
          });
          on('#e', 'input', draw);
          on('button', 'click', () => done(text === goal));
        </script>`,
      solve: async (hands) => {
        await hands.type(/textbox "Editor"/, goal);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('wants-trusted', () => ({
    goal: 'Press Go.',
    html: `<button>Go</button><script>on('button', 'click', (event) => event.isTrusted && done(true));</script>`,
    solve: (hands) => hands.click(/button "Go"/),
  })),
  kind('late-button', () => ({
    goal: 'Press Start, then Go.',
    html: html`<button id="s">Start</button>
      <div id="in"></div>
      <script>
        on('#s', 'click', () =>
          setTimeout(() => {
            $('#in').innerHTML = '<button>Go</button>';
            on('#in button', 'click', () => done(true));
          }, 600),
        );
      </script>`,
    solve: async (hands) => {
      await hands.click(/button "Start"/);
      await hands.click(/button "Go"/);
    },
  })),
  kind('press-enter', (random) => {
    const goal = random.pick(WORDS);
    return {
      goal: `Enter ${goal} and press Enter.`,
      html: html`<input aria-label="Command" />${goalIs(goal)}
        <script>
          on('input', 'keydown', (event) => event.key === 'Enter' && done(event.target.value === goal));
        </script>`,
      solve: (hands) => hands.type(/textbox "Command"/, goal, true),
    };
  }),
  kind('press-key', () => ({
    goal: 'Press Escape.',
    html: `<script>document.addEventListener('keydown', (event) => event.key === 'Escape' && done(true));</script>`,
    solve: (hands) => hands.press('Escape'),
  })),
  kind('hover-menu', () => ({
    goal: 'Open the menu and choose Save.',
    html: html`<style>
        #menu div {
          display: none;
        }
        #menu:hover div {
          display: block;
        }
      </style>
      <div id="menu" role="button" aria-label="Menu">
        Menu
        <div><button>Save</button></div>
      </div>
      <script>
        on('#menu button', 'click', () => done(true));
      </script>`,
    solve: async (hands) => {
      await hands.hover(/"Menu"/);
      await hands.click(/button "Save"/);
    },
  })),
  kind('drag-item', () => ({
    goal: 'Drag the card into the box.',
    html: html`<div id="card" draggable="true" role="button" aria-label="Card" style="width:60px;background:#cde">Card</div>
      <div id="box" role="region" aria-label="Box" tabindex="0" style="width:120px;height:80px;border:1px solid">Box</div>
      <script>
        on('#card', 'dragstart', (event) => event.dataTransfer.setData('text/plain', 'card'));
        on('#box', 'dragover', (event) => event.preventDefault());
        on('#box', 'drop', (event) => done(event.dataTransfer.getData('text/plain') === 'card'));
      </script>`,
    solve: (hands) => hands.drag(/"Card"/, /"Box"/),
  })),
];

/** Several steps, and answers that the page gives in between. */
const longer: readonly Kind[] = [
  kind('click-dialog', () => ({
    goal: 'Close the dialog.',
    html: html`<div role="dialog" aria-label="Offer" style="border:1px solid">
        <p>Subscribe!</p>
        <button class="btn-close" aria-label="Close"></button>
      </div>
      <script>
        on('button', 'click', () => done(true));
      </script>`,
    solve: (hands) => hands.click(/button "Close"/),
  })),
  kind('click-collapsible', (random) => {
    const goal = random.pick(WORDS);
    return {
      goal: 'Open the section and press the button in it.',
      html: html`<h3 class="h" style="cursor:pointer">Section</h3>
        <div id="in" hidden><button>${goal}</button></div>
        <script>
          on('.h', 'click', () => {
            $('#in').hidden = false;
          });
          on('button', 'click', () => done(true));
        </script>`,
      solve: async (hands) => {
        await hands.clickWords('Section');
        await hands.click(named('button', goal));
      },
    };
  }),
  kind('click-sequence', () => ({
    goal: 'Press ONE, then TWO.',
    html: html`${buttons(['TWO', 'ONE'])}
      <script>
        let first = false;
        on('button', 'click', (event) => {
          if (event.currentTarget.textContent === 'ONE') first = true;
          else done(first);
        });
      </script>`,
    solve: async (hands) => {
      await hands.click(/button "ONE"/);
      await hands.click(/button "TWO"/);
    },
  })),
  kind('simple-arithmetic', (random) => {
    const [one, other] = [random.below(20), random.below(20)];
    return {
      goal: 'Solve the sum and submit.',
      html: html`<p>${String(one)} + ${String(other)} =</p>
        <input aria-label="Result" /><button>Submit</button> ${goalIs(String(one + other))}
        <script>
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        const [, left = '', right = ''] = /(\d+) \+ (\d+) =/.exec(await hands.text()) ?? [];
        await hands.type(/textbox "Result"/, String(Number(left) + Number(right)));
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('read-table', (random) => {
    const rows = random.some(NAMES, 5).map((name) => ({ name, phone: `555-${String(1000 + random.below(8999))}` }));
    const goal = random.pick(rows);
    return {
      goal: `Enter the number of ${goal.name} and submit.`,
      html: html`<table>
          ${rows.map(({ name, phone }) => `<tr><td>${name}</td><td>${phone}</td></tr>`).join('')}
        </table>
        <input aria-label="Number" /><button>Submit</button> ${goalIs(goal.phone)}
        <script>
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        const phone = new RegExp(`${goal.name}[^5]*?(555-\\d{4})`).exec((await hands.text()).split('and submit.').at(-1) ?? '')?.[1] ?? '';
        await hands.type(/textbox "Number"/, phone);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('delete-row', (random) => {
    const names = random.some(NAMES, 4);
    const goal = random.pick(names);
    return {
      goal: `Delete ${goal}.`,
      html: html`<ul>
          ${names.map((name) => `<li data-name="${name}">${name} <button title="Delete"><i class="fa fa-trash"></i></button></li>`).join('')}
        </ul>
        ${goalIs(goal)}
        <script>
          on('button', 'click', (event) => done(event.currentTarget.parentElement.dataset.name === goal));
        </script>`,
      solve: async (hands) => {
        const found = (await hands.all(/button "Delete"/))[names.indexOf(goal)];
        if (found === undefined) throw new Error('the buttons cannot be told apart');
        await hands.click(found);
      },
    };
  }),
  kind('guess-number', (random) => {
    const goal = random.below(10);
    return {
      goal: 'Guess the number from 0 to 9.',
      html: html`<input aria-label="Guess" /><button>Guess</button>
        <p id="out"></p>
        ${goalIs(goal)}
        <script>
          on('button', 'click', () => {
            const guess = Number($('input').value);
            if (guess === goal) done(true);
            $('#out').textContent = guess === goal ? 'right' : guess < goal ? 'higher' : 'lower';
          });
        </script>`,
      solve: async (hands) => {
        let [low, high] = [0, 9];
        while (low <= high) {
          const guess = Math.floor((low + high) / 2);
          await hands.type(/textbox "Guess"/, String(guess));
          await hands.click(/button "Guess"/);
          const text = await hands.text();
          if (text.includes('right')) return;
          if (text.includes('higher')) low = guess + 1;
          else high = guess - 1;
        }
      },
    };
  }),
  kind('pages', (random) => {
    const goal = 2 + random.below(2);
    return {
      goal: 'Find the item marked "wanted" on one of the pages and press it.',
      html: html`<div id="out"></div>
        <button id="next">Next page</button> ${goalIs(goal)}
        <script>
          let page = 0;
          const draw = () => {
            $('#out').innerHTML = [1, 2, 3]
              .map((n) => '<p><a href="#">Item ' + page + '-' + n + (page === goal && n === 2 ? ' wanted' : '') + '</a></p>')
              .join('');
            on('#out a', 'click', (event) => done(event.currentTarget.textContent.includes('wanted')));
          };
          on('#next', 'click', () => {
            page += 1;
            draw();
          });
          draw();
        </script>`,
      solve: async (hands) => {
        while (!(await hands.all(/link/)).some(({ line }) => /\d wanted/.test(line))) await hands.click(/button "Next page"/);
        await hands.click(/link.*\d wanted/);
      },
    };
  }),
  kind('date-picker', (random) => {
    const [month, day] = [1 + random.below(3), 1 + random.below(28)];
    return {
      goal: `Choose day ${String(day)}, ${String(month)} months ahead.`,
      html: html`<button id="open">Choose a date</button>
        <div id="cal"></div>
        ${goalIs([month, day])}
        <script>
          let month = 0;
          const draw = () => {
            $('#cal').innerHTML =
              '<a href="#" id="n">Next month</a><br>' +
              Array.from({ length: 28 }, (_, d) => '<span class="d" style="cursor:pointer">' + (d + 1) + '</span> ').join('');
            on('#n', 'click', (event) => {
              event.preventDefault();
              month += 1;
              draw();
            });
            on('.d', 'click', (event) => done(month === goal[0] && Number(event.currentTarget.textContent) === goal[1]));
          };
          on('#open', 'click', draw);
        </script>`,
      solve: async (hands) => {
        await hands.click(/button "Choose a date"/);
        for (let step = 0; step < month; step += 1) await hands.click(/link "Next month"/);
        await hands.clickWords(String(day));
      },
    };
  }),
  kind('styled-checkbox', () => ({
    goal: 'Switch notifications on and submit.',
    html: html`<style>
        #c {
          position: absolute;
          opacity: 0;
          width: 0;
          height: 0;
        }
        .s {
          display: inline-block;
          width: 30px;
          height: 16px;
          background: #999;
        }
      </style>
      <label><input id="c" type="checkbox" /><span class="s"></span> Notifications</label><br /><button>Submit</button>
      <script>
        on('button', 'click', () => done($('#c').checked));
      </script>`,
    solve: async (hands) => {
      await hands.click(/checkbox "Notifications"/);
      await hands.click(/button "Submit"/);
    },
  })),
  kind('cookie-cover', () => ({
    goal: 'Press Go.',
    html: html`<button id="go">Go</button>
      <div id="cover" role="dialog" aria-label="Cookies" style="position:fixed;inset:0;background:#fffc">
        <button id="ok">Accept</button>
      </div>
      <script>
        on('#ok', 'click', () => $('#cover').remove());
        on('#go', 'click', () => done(!$('#cover')));
      </script>`,
    solve: async (hands) => {
      await hands.click(/button "Accept"/);
      await hands.click(/button "Go"/);
    },
  })),
  kind('choose-color', (random) => {
    const goal = random.pick(['#ff0000', '#00ff00', '#0000ff']);
    return {
      goal: `Choose the colour ${goal} and submit.`,
      html: html`<input type="color" aria-label="Colour" /> <button>Submit</button> ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        await hands.type(/"Colour"/, goal);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('enter-time', (random) => {
    const goal = `1${String(random.below(9))}:3${String(random.below(9))}`;
    return {
      goal: `Enter the time ${goal} and submit.`,
      html: html`<input type="time" aria-label="Time" /> <button>Submit</button> ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        await hands.type(/^(?!.*(?:spinbutton|button )).*"Time"/, goal);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('copy-text', (random) => {
    const goal = random.some(WORDS, 5).join(' ');
    return {
      goal: 'Copy the text into the field and submit.',
      html: html`<textarea aria-label="Source" readonly>${goal}</textarea><br /><input aria-label="Copy" /><button>Submit</button>
        ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        const text = /Source"[^\n]*?((?:[a-z]{5,8} ){4}[a-z]{5,8})/.exec(await hands.text())?.[1] ?? '';
        await hands.type(/textbox "Copy"/, text);
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('long-text', (random) => {
    const goal = random.pick(WORDS);
    return {
      goal: 'Enter the last word of the long text and submit.',
      html: html`<textarea aria-label="Source" readonly>${'lorem ipsum '.repeat(60)}the word is ${goal}</textarea><br /><input
          aria-label="Last"
        /><button>Submit</button> ${goalIs(goal)}
        <script>
          on('button', 'click', () => done($('input').value === goal));
        </script>`,
      solve: async (hands) => {
        const text = await hands.whole(/textbox "Source"/);
        await hands.type(/textbox "Last"/, /the word is (\w+)/.exec(text)?.[1] ?? '');
        await hands.click(/button "Submit"/);
      },
    };
  }),
  kind('joined-letters', (random) => {
    const names = ['می‌خواهم', 'नमस्‍ते', 'hy\u00ADphen'];
    const goal = random.pick(names);
    return {
      goal: `Press ${goal}.`,
      html: html`${buttons(names)}${goalIs(goal)}${BUTTON_DONE}`,
      solve: async (hands) => {
        const things = await hands.all(/^button/);
        const thing = things.find(({ line }) => line.includes(goal) || line.includes(goal.replaceAll('\u00AD', '')));
        if (thing === undefined) throw new Error('the name is broken');
        await hands.click(thing);
      },
    };
  }),
  kind('disabled-for-a-while', () => ({
    goal: 'Press Go when it can be pressed.',
    html: html`<button disabled>Go</button>
      <script>
        setTimeout(() => {
          $('button').disabled = false;
        }, 900);
        on('button', 'click', () => done(true));
      </script>`,
    solve: (hands) => hands.click(/button "Go"/),
  })),
  kind('script-address', (random) => {
    const names = random.some(WORDS, 4);
    const goal = random.pick(names);
    return {
      goal: `Follow the link ${goal}, then search for it.`,
      html: html`${names.map((name) => `<a href="javascript:open('${name}')">${name}</a>`).join(' ')}
        <form action="javascript:find()"><input aria-label="Words" /><button>Search</button></form>
        ${goalIs(goal)}
        <script>
          let opened = '';
          window.open = (name) => {
            opened = name;
          };
          window.find = () => done(opened === goal && $('input').value === goal);
        </script>`,
      solve: async (hands) => {
        await hands.click(named('link', goal));
        await hands.type(/textbox "Words"/, goal);
        await hands.click(/button "Search"/);
      },
    };
  }),
  kind('moving-button', () => ({
    goal: 'Press Go.',
    html: html`<style>
        @keyframes m {
          from {
            margin-left: 0;
          }
          to {
            margin-left: 200px;
          }
        }
        #b {
          animation: m 0.5s both;
        }
      </style>
      <button id="b">Go</button>
      <script>
        on('button', 'click', () => done(true));
      </script>`,
    solve: (hands) => hands.click(/button "Go"/),
  })),
  kind('redrawn-on-hover', () => ({
    goal: 'Press Go.',
    html: html`<div id="in"></div>
      <script>
        const draw = () => {
          $('#in').innerHTML = '<button>Go</button>';
          $('#in button').addEventListener('click', () => done(true));
        };
        draw();
        $('#in').addEventListener('mouseover', draw, { once: true });
      </script>`,
    solve: (hands) => hands.click(/button "Go"/),
  })),
  kind('far-below', () => ({
    goal: 'Press the button at the end of the page.',
    html: html`<div style="height:4000px"></div>
      <button>End</button>
      <script>
        on('button', 'click', () => done(true));
      </script>`,
    solve: (hands) => hands.click(/button "End"/),
  })),
  kind('identify-shape', (random) => {
    const shapes = {
      circle: '<circle cx="30" cy="30" r="20"/>',
      rect: '<rect x="10" y="10" width="40" height="40"/>',
      triangle: '<polygon points="10,50 50,50 30,10"/>',
    };
    const goal = random.pick(['circle', 'rect', 'triangle'] as const);
    return {
      goal: 'What is drawn? Press its name.',
      html: html`<svg width="60" height="60">${shapes[goal]}</svg
        ><br />${buttons(['circle', 'rect', 'triangle'])}${goalIs(goal)}${BUTTON_DONE}`,
      solve: async (hands) => {
        const [shape] = await hands.all(/^(?:circle|rect|triangle)/);
        const name = /^\w+/.exec(shape?.line ?? '')?.[0] ?? '';
        await hands.click(named('button', name === '' ? 'unknown' : name));
      },
    };
  }),
];

export const kinds: readonly Kind[] = [...plain, ...drawn, ...hard, ...longer, ...motion, ...products, ...frames];
