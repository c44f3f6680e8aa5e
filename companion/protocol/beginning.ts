/** The beginning of a text of at most so many UTF-16 units. It ends at a whole character: half of one is shown as a replacement, and stored as one. */
export const beginning = (text: string, maxUnits: number): string =>
  text.length <= maxUnits ? text : text.slice(0, maxUnits).replace(/[\uD800-\uDBFF]$/, '');
