/** Texts name the program `pilotfish`; a person whose shell does not know that name yet reads what works instead. */
export const withCommand = (text: string, command: string): string =>
  command === 'pilotfish' ? text : text.replaceAll(/`pilotfish(?=[ `])/gu, () => `\`${command}`);
