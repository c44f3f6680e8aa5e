/**
 * How a part of a value is told that JSON has no word for, as code that runs inside the page: `tell` for each part, and `tellOnce()` for a value that
 * holds itself. What a part is the browser itself says: a page may have names such as Node or Map of its own.
 */
export const TELLING = `const kindOf = (part) => {
    try {
      return Reflect.apply(({}).toString, part, []);
    } catch {
      return '';
    }
  };
  const tell = (_, part) => {
    if (typeof part === 'bigint') return \`\${part}n\`;
    if (typeof part === 'number' && part - part !== 0) return \`\${part}\`;
    if (typeof part !== 'object' || part === null) return part;
    if (part.window === part) return '[object Window]';
    const kind = kindOf(part);
    if (kind === '[object HTMLFormElement]') return '<form>';
    if (kind !== '[object Object]' && typeof part.nodeType === 'number') return \`<\${part.nodeName.toLowerCase()}>\`;
    switch (kind) {
      case '[object Error]':
      case '[object DOMException]':
      case '[object RegExp]':
        return \`\${part}\`;
      case '[object Map]':
      case '[object Set]':
      case '[object NodeList]':
      case '[object RadioNodeList]':
      case '[object HTMLCollection]':
      case '[object HTMLOptionsCollection]':
      case '[object HTMLFormControlsCollection]':
        return [...part];
      default:
        return part;
    }
  };
  const newMarks = () => {
    try {
      const marks = new Set();
      marks.add(tell);
      if (marks.has(tell)) return marks;
    } catch {}
    const marked = [];
    return { has: (part) => marked.includes(part), add: (part) => void (marked[marked.length] = part) };
  };
  const tellOnce = () => {
    const before = newMarks();
    return (name, part) => {
      const said = tell(name, part);
      if (typeof said !== 'object' || said === null) return said;
      if (before.has(part)) return '(told already)';
      before.add(part);
      return said;
    };
  };`;
