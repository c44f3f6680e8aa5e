/** Whether a path is inside a folder, judged by real paths alone. The caller has resolved links and checked owners. */

/** `path` is `root` or inside it. Both are real, absolute paths of the running system. */
export const isInside = (root: string, path: string): boolean => {
  const separator = root.includes('\\') ? '\\' : '/';
  const base = root.endsWith(separator) ? root : root + separator;
  return path === root || path + separator === base || path.startsWith(base);
};
