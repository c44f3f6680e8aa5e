/** A message that is still being written: only what is new is laid out, so that a stream costs its length and not its square. */
import { BlockReader } from '#display/blocks.ts';
import { clean } from '../text.ts';
import { renderBlocks } from './markdown.ts';

interface Begun {
  readonly reader: BlockReader;
  /** What was cleaned so far, up to the end of a line, as it came and as it is. */
  raw: string;
  cleaned: string;
}

/** Messages laid out in part; several only where sessions are watched in turn. */
const begun = new Map<string, Begun>();
const MAX_BEGUN = 4;

/** The lines of the text so far. */
export const streamedLines = (itemId: string, text: string, columns: number): string[] => {
  const known = begun.get(itemId);
  const state = known !== undefined && text.startsWith(known.raw) ? known : { reader: new BlockReader(), raw: '', cleaned: '' };
  const end = text.lastIndexOf('\n') + 1;
  if (end > state.raw.length) {
    state.cleaned += clean(text.slice(state.raw.length, end));
    state.raw = text.slice(0, end);
  }
  remember(itemId, state);
  return renderBlocks(state.reader.read(state.cleaned + clean(text.slice(end)), false).blocks, columns, true);
};

const remember = (itemId: string, entry: Begun): void => {
  begun.delete(itemId);
  begun.set(itemId, entry);
  const [oldest] = begun.keys();
  if (begun.size > MAX_BEGUN && oldest !== undefined) begun.delete(oldest);
};
