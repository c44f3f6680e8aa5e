/** What options of the browser's own lists go by: of several with the same label, each also by the group that it stands in. */
import { clean } from './name.ts';

/** In their order, as they are told. */
export const optionNames = (options: readonly HTMLOptionElement[]): string[] => {
  const labels = options.map(({ label }) => clean(label));
  const known = new Set<string>();
  const repeated = new Set(labels.filter((label) => known.size === known.add(label).size));
  return options.map((option, index) => {
    const label = labels[index] ?? '';
    const group = repeated.has(label) ? groupOf(option) : '';
    return group === '' ? label : `${group} / ${label}`;
  });
};

/** The one that is called by its group and its label, whatever stands between them. */
export const optionInGroup = (options: readonly HTMLOptionElement[], text: string): HTMLOptionElement | undefined => {
  const wanted = wordsOf(text);
  return options.find((option) => groupOf(option) !== '' && wordsOf(`${groupOf(option)} ${option.label}`) === wanted);
};

/** The same as it that stand in other groups. */
export const namesakesOf = (option: HTMLOptionElement, options: readonly HTMLOptionElement[]): HTMLOptionElement[] =>
  options.filter((other) => clean(other.label) === clean(option.label) && groupOf(other) !== groupOf(option));

const groupOf = (option: HTMLOptionElement): string => clean(option.closest('optgroup')?.label ?? '');

const wordsOf = (text: string): string => clean(text.replaceAll(/[\s/>:›»→|,-]+/g, ' ')).toLowerCase();
