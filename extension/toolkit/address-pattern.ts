/** Patterns of addresses as an agent writes them, read without trying anything twice. Pure. */

const MAX_CHOICES = 50;

/** A pattern may name several endings, `*.{png,jpg}`, which the debugger does not read. */
export const choicesOf = (pattern: string): string[] => {
  const found: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined && found.length < MAX_CHOICES; next = open.pop()) {
    const [whole, before = '', choices = '', after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(next) ?? [];
    if (whole === undefined) found.push(next);
    else
      open.push(
        ...choices
          .split(',')
          .toReversed()
          .map((choice) => before + choice.trim() + after),
      );
  }
  return found;
};

/** As the debugger reads it: `*` stands for anything, `?` for one character. */
export const fitsPattern = (address: string, pattern: string): boolean => {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return address.length === first.length && isAt(address, first, 0);
  if (!isAt(address, first, 0)) return false;
  let at = first.length;
  for (const part of rest) {
    const end = address.length - last.length - part.length;
    while (at <= end && !isAt(address, part, at)) at += 1;
    if (at > end) return false;
    at += part.length;
  }
  const end = address.length - last.length;
  return at <= end && isAt(address, last, end);
};

const isAt = (address: string, part: string, at: number): boolean => {
  if (at + part.length > address.length) return false;
  for (let index = 0; index < part.length; index += 1) {
    if (part[index] !== '?' && part[index] !== address[at + index]) return false;
  }
  return true;
};

/**
 * Whether an address is what is waited for: a part of it, in which `*` stands for anything. What begins with that, or as an address does, is all of it,
 * but for what is asked for and the place in the page: what ends with `/done` is no `/done/more`.
 */
export const hasPart = (address: string, part: string): boolean => {
  if (!part.includes('*')) return address.includes(part);
  const isWhole = /^(?:\*|[a-z]+:)/.test(part);
  const [plain = ''] = address.split(/[?#]/, 1);
  return choicesOf(isWhole ? part : `*${part}*`).some((choice) => fitsPattern(address, choice) || (isWhole && fitsPattern(plain, choice)));
};

/** Whether a tab shows what an address names: that page, what lies below it, or, with `*` in it, what fits. */
export const isAtAddress = (address: string, named: string): boolean => {
  if (named.includes('*')) return fitsPattern(address, named);
  const whole = named.replace(/[/?#]$/, '');
  return address === named || address === whole || (address.startsWith(whole) && /^[/?#]/.test(address.slice(whole.length)));
};
