/** Texts name the program `pilotfish`; a person whose shell does not know that name yet reads what works instead. */
export const withCommand = (text: string, command: string): string =>
  command === 'pilotfish' ? text : text.replaceAll(/`pilotfish(?=[ `])/gu, () => `\`${command}`);

/** The same for a line that is a command. */
export const asCommand = (line: string, command: string): string => line.replace(/^pilotfish(?= )/u, () => command);
