/** Gives the person a file, by the browser's own download. */

/** Until the browser has surely read what it saves. */
const KEPT_MS = 60_000;

export const saveAs = (name: string, content: Blob): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
};
