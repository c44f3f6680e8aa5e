/** Reads the batch files npm, pnpm and yarn put on a Windows PATH. */
import { win32 } from 'node:path';

/** The program or script a shim in `dir` starts; null when the text is not such a shim. */
export const parseCmdShim = (text: string, dir: string): string | null => {
  const targets = [...text.matchAll(/"%(?:~dp0|dp0%)\\?([^"%]+\.(?:js|cjs|mjs|exe))"/gi)].map((match) => match[1] ?? '');
  // An npm shim names the node.exe beside it first; the program it is for comes last.
  const target = targets.findLast((candidate) => !/(?:^|\\)node\.exe$/i.test(candidate));
  return target === undefined ? null : win32.normalize(win32.join(dir, target));
};
