/** The prompts of a session as the arrow keys walk through them. Pure. */
import { isUnasked, type SessionView } from '#protocol/view.ts';

/** A prompt that was brought back, and its place among all: 0 is the oldest. */
export interface Recalled {
  readonly index: number;
  readonly text: string;
}

/** What the user said in this session, also into a running turn, the oldest first; the same thing said twice in a row counts once. */
export const promptsOf = (view: SessionView | null): readonly string[] => {
  const said = Map.groupBy(view?.items ?? [], ({ turnId }) => turnId);
  return (view?.turns ?? [])
    .filter((turn) => !isUnasked(turn))
    .flatMap(({ turnId, prompt: { text, displayText } }) => {
      const added = (said.get(turnId) ?? []).flatMap(({ body, parentItemId }) =>
        parentItemId === null && body.kind === 'message' && body.role === 'user' && body.text !== text && body.text !== displayText
          ? [body.text]
          : [],
      );
      return [displayText ?? text, ...added];
    })
    .filter((text, index, all) => text !== all[index - 1]);
};

/** The prompt before or after `current`; null is the empty field below the newest. At the oldest it stays. */
export const recallPrompt = (prompts: readonly string[], current: Recalled | null, direction: 'older' | 'newer'): Recalled | null => {
  const from = current?.index ?? prompts.length;
  const index = Math.max(0, direction === 'older' ? from - 1 : from + 1);
  const text = prompts[index];
  return text === undefined ? null : { index, text };
};
