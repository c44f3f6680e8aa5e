/** The words of a target like `text=Sign in`; null where it is another kind of target. */
export const wordsIn = (target: string): string | null => /^text=\s*["']?(.+?)["']?\s*$/s.exec(target.trim())?.[1] ?? null;
