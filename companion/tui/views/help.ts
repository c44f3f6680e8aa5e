/** The page of all keys, drawn from the keymap. */
import { bindings } from '../bindings.ts';
import { holding } from '../own-keys.ts';
import { contextNames, contextTitles } from '../contexts.ts';
import { showKey } from '../key-names.ts';
import { contextsOf } from '../keymap.ts';
import { paint } from '../paint.ts';
import { t } from '../say.ts';
import type { TuiState } from '../state.ts';
import { pad, wrap } from '../text.ts';

/** The lines of the page; where the user came from stands first. */
export const helpLines = (state: TuiState, columns: number): string[] => {
  const near = contextsOf({ ...state, overlay: null });
  const order = [...near, ...contextNames.filter((context) => !near.includes(context))];
  return order.flatMap((context) => {
    const own = holding(bindings).filter((binding) => binding.context === context);
    return [
      paint('strong', t(contextTitles[context])),
      ...own.flatMap(({ keys, description }) =>
        wrap(t(description), columns - 20).map(
          (line, index) => `  ${pad(index === 0 ? paint('accent', keys.map(showKey).join(' ')) : '', 16)}  ${line}`,
        ),
      ),
      '',
    ];
  });
};
