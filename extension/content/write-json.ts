/**
 * What JSON.stringify makes of a value, for a page that has put something else in its place. It is handed to pages by its text, so it uses nothing
 * from outside itself; of what a page may have replaced it uses what no page could do without.
 */
export const writeJson = (value: unknown, tell: (key: string, part: unknown) => unknown): string | undefined => {
  const outer: unknown[] = [];
  const quote = (text: string): string => {
    let quoted = '';
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at] ?? '';
      const code = text.charCodeAt(at);
      const isLone = (code & 0xf800) === 0xd800 && (text.codePointAt(at) ?? 0) < 0x1_00_00 && (text.codePointAt(at - 1) ?? 0) < 0x1_00_00;
      if (sign === '"' || sign === '\\') quoted += `\\${sign}`;
      else if (sign === '\n') quoted += '\\n';
      else if (sign === '\t') quoted += '\\t';
      else if (code < 32 || isLone) quoted += `\\u${`000${code.toString(16)}`.slice(-4)}`;
      else quoted += sign;
    }
    return `"${quoted}"`;
  };
  const write = (key: string, given: unknown): string | undefined => {
    const part = tell(key, given);
    if (part === null || part === true || part === false) return `${part}`;
    if (typeof part === 'number') return part - part === 0 ? `${part}` : 'null';
    if (typeof part === 'string') return quote(part);
    if (typeof part !== 'object') return undefined;
    for (let level = 0; level < outer.length; level += 1) if (outer[level] === part) throw new TypeError('it holds itself');
    outer[outer.length] = part;
    const text = Array.isArray(part) ? list(part) : fields(key, part);
    outer.length -= 1;
    return text;
  };
  const list = (parts: readonly unknown[]): string => {
    let text = '';
    for (let at = 0; at < parts.length; at += 1) text += `${at === 0 ? '' : ','}${write(`${at}`, parts[at]) ?? 'null'}`;
    return `[${text}]`;
  };
  const fields = (key: string, holder: object): string | undefined => {
    const asJson: unknown = Reflect.get(holder, 'toJSON');
    if (typeof asJson === 'function') return write(key, Reflect.apply(asJson, holder, [key]));
    let text = '';
    for (const name in holder) {
      const field = Object.hasOwn(holder, name) ? write(name, Reflect.get(holder, name)) : undefined;
      if (field !== undefined) text += `${text === '' ? '' : ','}${quote(name)}:${field}`;
    }
    return `{${text}}`;
  };
  return write('', value);
};
