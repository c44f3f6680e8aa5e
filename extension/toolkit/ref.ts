/** Refs as text: `e12` in the page itself, `f7e12` in its frame 7. */

const REF = /^(?:@|\[?(?:(?:aria-)?ref=)?)(?:f(\d+))?e(\d+)\]?$/;

/** Null when the text is not a ref. */
export const readRef = (text: string): { frameId: number; ref: number } | null => {
  const match = REF.exec(text.trim());
  return match === null ? null : { frameId: Number(match[1] ?? 0), ref: Number(match[2]) };
};

export const toRef = (frameId: number, ref: number): string => (frameId === 0 ? `e${ref}` : `f${frameId}e${ref}`);

const TOOL_NAME = /^f(\d+):(.+)$/s;

/** The name of a tool that a frame offers, among those of its page: a page gives a tool no name with a colon. https://webmachinelearning.github.io/webmcp/ */
export const toToolName = (frameId: number, name: string): string => (frameId === 0 ? name : `f${frameId}:${name}`);

/** Where the tool of such a name is offered. */
export const readToolName = (text: string): { frameId: number; name: string } => {
  const match = TOOL_NAME.exec(text.trim());
  return match === null ? { frameId: 0, name: text } : { frameId: Number(match[1]), name: match[2] ?? '' };
};
