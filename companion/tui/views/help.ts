/** The page of all keys, drawn from the keymap. */
import { bindings, contextNames, type Context } from '../bindings.ts';
import { contextsOf, showKey } from '../keymap.ts';
import { paint } from '../paint.ts';
import type { TuiState } from '../state.ts';
import { pad, wrap } from '../text.ts';

/** What each context is called. */
const contextTitles: Readonly<Record<Context, string>> = {
  request: 'On a waiting request',
  waiting: 'While a request waits',
  composer: 'Writing a message',
  projects: 'Projects',
  engines: 'Agents',
  sessions: 'Sessions',
  browsers: 'Browsers',
  list: 'Every list',
  main: 'Conversation, diff, logs',
  global: 'Everywhere but while writing',
  always: 'Always',
  help: 'Help',
  guide: 'Welcome page',
  engine: 'About an agent',
  audit: 'What was decided and done',
  admission: 'A browser that waits to be let in',
  picker: 'Choosing',
  input: 'One-line input',
  question: "Answering an agent's question",
  confirm: 'Confirming',
};

/** The lines of the page; where the user came from stands first. */
export const helpLines = (state: TuiState, columns: number): string[] => {
  const near = contextsOf({ ...state, overlay: null });
  const order = [...near, ...contextNames.filter((context) => !near.includes(context))];
  return order.flatMap((context) => {
    const own = bindings.filter((binding) => binding.context === context);
    return [
      paint('strong', contextTitles[context]),
      ...own.flatMap(({ keys, description }) =>
        wrap(description, columns - 20).map(
          (line, index) => `  ${pad(index === 0 ? paint('accent', keys.map(showKey).join(' ')) : '', 16)}  ${line}`,
        ),
      ),
      '',
    ];
  });
};
