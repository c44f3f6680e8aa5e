/** A list that the person puts in order. Pure. */

/** The names with one of them moved to the place of another. */
export const moveTo = (names: readonly string[], name: string, target: string): readonly string[] => {
  const to = names.indexOf(target);
  if (to < 0 || !names.includes(name)) return names;
  return names.filter((each) => each !== name).toSpliced(to, 0, name);
};

/** The same by one step up (-1) or down (1). */
export const moveBy = (names: readonly string[], name: string, step: -1 | 1): readonly string[] =>
  moveTo(names, name, names[names.indexOf(name) + step] ?? name);
