/** Refs as text: `e12` in the page itself, `f7e12` in its frame 7. */

const REF = /^(?:@|\[?(?:(?:aria-)?ref=)?)(?:f(\d+))?e(\d+)\]?$/;

/** Null when the text is not a ref. */
export const readRef = (text: string): { frameId: number; ref: number } | null => {
  const match = REF.exec(text.trim());
  return match === null ? null : { frameId: Number(match[1] ?? 0), ref: Number(match[2]) };
};

export const toRef = (frameId: number, ref: number): string => (frameId === 0 ? `e${ref}` : `f${frameId}e${ref}`);
