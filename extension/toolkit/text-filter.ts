/** A filter of an agent's for texts: a part of them, where `.*` stands for anything and `|` for or. Capitals do not matter. */

/** An agent's own regular expression could keep the worker busy for ever. What is secret in the text must be hidden before. */
export const fits = (text: string, filter: string): boolean => {
  const searched = text.toLowerCase();
  return filter
    .toLowerCase()
    .split('|')
    .some((way) => {
      let at = 0;
      return way.split(/\.?\*/).every((part) => {
        const found = searched.indexOf(part.replaceAll(/\\(.)/g, '$1'), at);
        at = found + part.length;
        return found >= 0;
      });
    });
};
