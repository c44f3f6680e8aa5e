/** Words for readers that say what stands beside them for eyes alone: a price in several pieces, a formula in a drawing of letters. */
import { plain } from './plain.ts';
import { generatedText, mayGenerate } from './style-sheets.ts';
import { isVisible } from './visibility.ts';

/** A formula may be long; what is longer is not compared. */
const MAX_LETTERS = 2_000;

/** Whether what nobody sees of an element is seen right beside it, where readers are told to skip it. */
export const isSaidBeside = (element: Element): boolean => {
  const { previousElementSibling, nextElementSibling } = plain(element);
  const shown = [nextElementSibling, previousElementSibling].filter(
    (beside) => beside !== null && plain(beside).getAttribute('aria-hidden') === 'true' && isVisible(beside),
  );
  if (shown.length === 0) return false;
  const isFormula = plain(element).querySelector('math') !== null;
  const own = lettersIn(element);
  // The parts of a formula are drawn in another order than they are read.
  const letters = (text: string): string => (isFormula ? (text.match(/./gu) ?? []).toSorted().join('') : text);
  return own !== '' && shown.some((beside) => beside !== null && letters(lettersIn(beside)) === letters(own));
};

/** Letters and numbers alone: signs are drawn in other ways. Empty where there are too many. */
const lettersIn = (element: Element): string => {
  let text = '';
  const collect = (node: Node): void => {
    if (text.length > MAX_LETTERS) return;
    if (node instanceof Text) text += node.data;
    if (!(node instanceof Element) || plain(node).localName.startsWith('annotation')) return;
    const isHost = mayGenerate(node);
    if (isHost) text += generatedText(node, '::before');
    for (const child of plain(node).childNodes) collect(child);
    if (isHost) text += generatedText(node, '::after');
  };
  collect(element);
  return text.length > MAX_LETTERS ? '' : text.normalize('NFKC').replaceAll(/[^\p{L}\p{N}]/gu, '');
};
