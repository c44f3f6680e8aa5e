/** What is tidied up after a call: each question to Chrome takes time, which the answer need not wait for. */

/** Resolves when what was ready to be answered has been: a timer comes after all that only waits for what is known. */
export const answered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
