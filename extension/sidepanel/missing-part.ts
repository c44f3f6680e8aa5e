/** Whether a part of the panel is no longer there: the extension was replaced while the panel was open, and its files have other names now. */
export const isGone = (fault: unknown): boolean => fault instanceof TypeError && fault.message.includes('dynamically imported module');
