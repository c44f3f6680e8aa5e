/** The name of a file that a tool saves among the person's downloads. */

const MAX_CHARS = 120;

/** A name alone, without a folder and with its ending. */
export const toFileName = (given: string, ending: string, otherwise: string): string => {
  const plain = given
    .replaceAll(/[^\p{L}\p{N} ._()-]+/gu, ' ')
    .replace(new RegExp(`\\.${ending}$`, 'i'), '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  return `${plain === '' ? otherwise : plain.slice(0, MAX_CHARS)}.${ending}`;
};
