/** In the manner of products: plain elements with listeners, drawn anew with each change, what opens stands at the end of the page, searches wait. */
import { type Kind, type Thing, html, kind } from './task.ts';

const PEOPLE = ['Ada', 'Boris', 'Chloe', 'Dmitri'];
const ROWS = ['A', 'B', 'C', 'D', 'E', 'F'];
const FREE = '#4caf50';
/** By the words that a snapshot has for them. */
const SWATCHES = { Moss: 'rgb(0, 128, 0)', Ink: 'rgb(0, 0, 200)', Rust: 'rgb(200, 30, 0)' };

/** A search may wait for more letters. */
const LOOKS = 20;

/** The middle of the box of a thing, where a snapshot tells it. */
const middleOf = ({ line }: Thing): { x: number; y: number } => {
  const [, x, y] = /@(-?\d+),(-?\d+)/.exec(line) ?? [];
  if (x === undefined) throw new Error('its place is not told');
  return { x: Number(x), y: Number(y) };
};

export const products: readonly Kind[] = [
  kind('board', (random) => {
    const card = random.pick(['Renew certificate', 'Write notes', 'Paint the shed']);
    const person = random.pick(PEOPLE);
    return {
      goal: `Move the card ${card} to Done, then open it and make ${person} its member.`,
      html: html`<style>
          .column {
            display: inline-block;
            vertical-align: top;
            width: 160px;
            min-height: 150px;
            background: #ebecf0;
          }
          .card {
            background: #fff;
            margin: 6px;
            padding: 6px;
            user-select: none;
          }
          .ghost {
            position: fixed;
            pointer-events: none;
          }
        </style>
        <div id="board"></div>
        <div id="portal"></div>
        <script>
          const columns = { Doing: ['Renew certificate', 'Write notes', 'Paint the shed'], Done: ['Set up'] };
          const draw = () => {
            $('#board').innerHTML = Object.entries(columns)
              .map(([name, cards]) => {
                const drawn = cards.map((card) => '<div class="card"><div>' + card + '</div></div>').join('');
                return '<div class="column" data-name="' + name + '"><b>' + name + '</b>' + drawn + '</div>';
              })
              .join('');
          };
          const open = (name) => {
            $('#portal').innerHTML =
              '<div role="dialog"><h3>' +
              name +
              '</h3><p>Members: none</p><input placeholder="Search members"><div class="found"></div></div>';
            $('#portal input').addEventListener('input', ({ target }) => {
              clearTimeout(open.timer);
              open.timer = setTimeout(() => {
                const found = ${JSON.stringify(PEOPLE)}.filter((one) => one.toLowerCase().startsWith(target.value.toLowerCase()));
                $('.found').innerHTML = found.map((one) => '<div style="cursor: pointer">' + one + '</div>').join('');
              }, 200);
            });
            $('.found').addEventListener('click', ({ target }) =>
              done(name === '${card}' && target.textContent === '${person}' && columns.Done.includes(name)),
            );
          };
          let held = null;
          addEventListener('pointerdown', ({ target, clientX, clientY }) => {
            const card = target.closest('.card');
            if (card) held = { card, name: card.textContent, clientX, clientY, ghost: null };
          });
          addEventListener('pointermove', ({ clientX, clientY }) => {
            if (!held || (!held.ghost && Math.hypot(clientX - held.clientX, clientY - held.clientY) < 8)) return;
            if (!held.ghost) {
              held.ghost = held.card.cloneNode(true);
              held.ghost.className = 'card ghost';
              document.body.append(held.ghost);
            }
            held.ghost.style.left = clientX + 'px';
            held.ghost.style.top = clientY + 'px';
          });
          addEventListener('pointerup', ({ clientX, clientY }) => {
            if (!held) return;
            const { name, ghost } = held;
            held = null;
            if (!ghost) return open(name);
            ghost.remove();
            const column = document.elementFromPoint(clientX, clientY)?.closest('.column')?.dataset.name;
            if (!column) return;
            for (const cards of Object.values(columns)) if (cards.includes(name)) cards.splice(cards.indexOf(name), 1);
            columns[column].push(name);
            setTimeout(draw);
          });
          draw();
        </script>`,
      solve: async (hands) => {
        await hands.dragWords(card, 'Set up');
        await hands.clickWords(card);
        await hands.type(/textbox.*"Search members"/, person);
        await hands.click(new RegExp(`^(?!textbox).*["\\s:]${person}"?$`));
      },
    };
  }),
  kind('seat-map', (random) => {
    const row = random.pick(ROWS);
    const taken = ROWS.flatMap((name) => random.some([1, 2, 3, 4, 5, 6, 7, 8], 3).map((seat) => `${name}${seat}`));
    const free = [1, 2, 3, 4, 5, 6, 7, 8].filter((seat) => !taken.includes(`${row}${seat}`)).slice(0, 2);
    const goal = free.map((seat) => `${row}${seat}`).join();
    return {
      goal: `Choose the two free seats of row ${row} that are farthest to the left, and continue.`,
      html: html`<svg width="330" height="220" viewBox="0 0 330 220"></svg>
        <p id="said">No seats chosen</p>
        <button disabled>Continue</button>
        <script>
          const taken = ${JSON.stringify(taken)};
          const rows = ${JSON.stringify(ROWS)};
          const chosen = [];
          $('svg').innerHTML = rows
            .map((name, at) => {
              const y = 30 + at * 30;
              const seats = [1, 2, 3, 4, 5, 6, 7, 8].map((seat) => {
                const isTaken = taken.includes(name + seat);
                const look = isTaken ? 'fill="#bbb"' : 'fill="${FREE}" style="cursor: pointer"';
                return '<circle data-seat="' + name + seat + '" cx="' + (30 + seat * 30) + '" cy="' + y + '" r="10" ' + look + '/>';
              });
              return '<text x="20" y="' + (y + 5) + '">' + name + '</text>' + seats.join('');
            })
            .join('');
          on('svg', 'click', ({ target }) => {
            const { seat } = target.dataset;
            if (!seat || taken.includes(seat)) return;
            chosen.push(seat);
            target.setAttribute('stroke', 'black');
            $('#said').textContent = 'Seats ' + chosen.join(', ');
            $('button').disabled = false;
          });
          on('button', 'click', () => done(chosen.join() === '${goal}'));
        </script>`,
      solve: async (hands) => {
        const seats = (await hands.all(/^clickable.*\d+×\d+@/)).map((thing) => ({ thing, ...middleOf(thing) }));
        const tops = [...new Set(seats.map(({ y }) => y))].toSorted((one, other) => one - other);
        const inRow = seats.filter(({ y }) => y === tops[ROWS.indexOf(row)]).toSorted((one, other) => one.x - other.x);
        for (const { thing } of inRow.slice(0, 2)) await hands.click(thing);
        await hands.click(/button "Continue"/);
      },
    };
  }),
  kind('variants', (random) => {
    const color = random.pick(Object.keys(SWATCHES));
    const size = random.pick(['S', 'M', 'L']);
    return {
      goal: `Add the raincoat in the colour ${color} and the size ${size} to the bag.`,
      html: html`<div id="colors"></div>
        <p id="color">Colour: –</p>
        <div id="sizes"></div>
        <div id="add" style="background: black; color: white; cursor: pointer; width: 120px">Add to bag</div>
        <script>
          const swatches = ${JSON.stringify(SWATCHES)};
          const chosen = {};
          const draw = () => {
            $('#colors').innerHTML = Object.entries(swatches)
              .map(([name, color]) => {
                const ring = chosen.color === name ? 'outline: 2px solid' : '';
                const look =
                  'display: inline-block; width: 30px; height: 30px; margin: 4px; cursor: pointer; background: ' + color + ';' + ring;
                return '<span data-color="' + name + '" style="' + look + '"></span>';
              })
              .join('');
            $('#sizes').innerHTML = ['S', 'M', 'L']
              .map((size) => '<span data-size="' + size + '" style="cursor: pointer; margin: 8px">' + size + '</span>')
              .join('');
          };
          const tell = (name) => ($('#color').textContent = 'Colour: ' + (name ?? chosen.color ?? '–'));
          on('#colors', 'mouseover', ({ target }) => tell(target.dataset.color));
          on('#colors', 'mouseout', () => tell());
          on('#area', 'click', ({ target }) => {
            Object.assign(chosen, target.dataset);
            draw();
          });
          on('#add', 'click', () => setTimeout(() => done(chosen.color === '${color}' && chosen.size === '${size}'), 300));
          draw();
        </script>`,
      solve: async (hands) => {
        const swatches = await hands.all(/^clickable (?:green|blue|red)|^generic$/);
        for (const swatch of swatches) {
          await hands.hover(swatch);
          if ((await hands.text()).includes(`Colour: ${color}`)) {
            await hands.click(swatch);
            break;
          }
        }
        await hands.clickWords(size);
        await hands.clickWords('Add to bag');
      },
    };
  }),
  kind('bulk-edit', (random) => {
    const name = random.pick(['Farid Castell', 'Grace Brook', 'Elena Dorn']);
    return {
      goal: `Make all who are called ${name} admins.`,
      html: html`<style>
          .box {
            display: inline-block;
            width: 14px;
            height: 14px;
            border: 1px solid;
            cursor: pointer;
          }
          .box.on {
            background: blue;
          }
        </style>
        <input placeholder="Search users" /> <span id="all" class="box"></span>
        <div id="list" style="height: 160px; overflow: auto; position: relative"><div id="rows"></div></div>
        <div id="portal"></div>
        <script>
          const names = ['Farid Castell', 'Grace Brook', 'Elena Dorn', 'Hugo Adler'];
          const users = Array.from({ length: 200 }, (_, id) => ({ id, name: names[id % 4], role: 'Viewer' }));
          const chosen = new Set();
          let word = '';
          const shown = () => users.filter((user) => user.name.toLowerCase().includes(word));
          const draw = () => {
            const first = Math.floor($('#list').scrollTop / 20);
            $('#rows').style.height = shown().length * 20 + 'px';
            $('#rows').innerHTML = shown()
              .slice(first, first + 10)
              .map((user, at) => {
                const box = '<span class="box' + (chosen.has(user.id) ? ' on' : '') + '" data-id="' + user.id + '"></span>';
                return (
                  '<div style="position: absolute; top: ' + (first + at) * 20 + 'px">' + box + ' ' + user.name + ' ' + user.role + '</div>'
                );
              })
              .join('');
            $('#portal').innerHTML =
              chosen.size === 0
                ? ''
                : '<div><b>' +
                  chosen.size +
                  ' selected</b> <span class="role" style="cursor: pointer">Change role</span><div id="menu"></div></div>';
          };
          on('input', 'input', ({ target }) => {
            clearTimeout(draw.timer);
            draw.timer = setTimeout(() => {
              word = target.value.toLowerCase();
              draw();
            }, 250);
          });
          on('#list', 'scroll', () => requestAnimationFrame(draw));
          on('#area', 'click', ({ target }) => {
            if (target.id === 'all') for (const { id } of shown()) chosen.add(id);
            else if (target.dataset.id) chosen.add(Number(target.dataset.id));
            else if (target.className === 'role') {
              $('#menu').innerHTML = ['Viewer', 'Editor', 'Admin']
                .map((role) => '<div class="option" style="cursor: pointer">' + role + '</div>')
                .join('');
              return;
            } else if (target.className === 'option') {
              const isRight = target.textContent === 'Admin' && users.every((user) => chosen.has(user.id) === (user.name === '${name}'));
              return void setTimeout(() => done(isRight), 300);
            } else return;
            draw();
          });
          draw();
        </script>`,
      solve: async (hands) => {
        await hands.type(/textbox.*"Search users"/, name);
        for (let look = 0; look < LOOKS && (await hands.text()).includes('Hugo Adler'); look += 1);
        for (const box of await hands.all(/^clickable #all|^generic$/)) {
          await hands.click(box);
          if ((await hands.text()).includes('50 selected')) break;
        }
        await hands.clickWords('Change role');
        await hands.clickWords('Admin');
      },
    };
  }),
];
