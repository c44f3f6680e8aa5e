/** A name that no page knows or guesses, in every page: what makes one at a word is only in pages of encrypted addresses and of this machine. */
export const newName = (): string => [...crypto.getRandomValues(new Uint32Array(4))].join('-');
