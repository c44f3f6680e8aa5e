/** What is said of an option that cannot be chosen, in a list of HTML and in one that a page has made. */
export const disabledOption = (text: string): string =>
  `The option "${text}" is disabled. Choose another one, or do first what enables it.`;
