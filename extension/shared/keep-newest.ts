/** Forgets what was put into it first, as long as there is more in it than this. Pure but for that. */
export const keepNewest = <K>(kept: Map<K, unknown> | Set<K>, most: number): void => {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
};
