/** What was probably meant by a word that was mistyped. */
import { diffChars } from 'diff';

/** The word of a list that takes the fewest changed letters; null when none is near. */
export const nearest = (given: string, known: readonly string[]): string | null => {
  let best: { word: string; distance: number } | null = null;
  const most = Math.max(1, Math.floor(given.length / 3));
  for (const word of known) {
    const distance = diffChars(given, word).reduce((sum, { added, removed, count }) => (added || removed ? sum + count : sum), 0);
    if (distance <= most && distance < (best?.distance ?? Infinity)) best = { word, distance };
  }
  return best?.word ?? null;
};
