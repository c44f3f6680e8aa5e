/** A number with its English noun: `1 file`, `2 files`. */
export const counted = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`;
