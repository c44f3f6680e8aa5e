/** Pilotfish's English sentences that travel whole, in Chinese: each is known by its form. */

/** What stands in a place `{…}` is a name or a path and stays, or is itself such a sentence. */
export type Sentences = Readonly<Record<string, string>>;

/** Ours are shorter; what is longer is a provider's or a program's, and is not compared with all of them. */
const MAX_UNITS = 4_000;

/** Gives the Chinese of a sentence of this table, of which the first form counts that it has; null for any other text. */
export const chineseOf = (sentences: Sentences): ((english: string) => string | null) => {
  let known: readonly Form[] | null = null;
  const inChinese = (english: string): string | null => {
    if (english.length > MAX_UNITS) return null;
    // They are made when the first sentence is shown in Chinese.
    known ??= Object.entries(sentences).map(toForm);
    for (const { form, names, chinese } of known) {
      const found = form.exec(english);
      if (found === null) continue;
      const parts = new Map(names.map((name, index) => [name, inChinese(found[index + 1] ?? '') ?? found[index + 1] ?? '']));
      return chinese.replaceAll(/\{(\w+)\}/gu, (_, name: string) => parts.get(name) ?? '');
    }
    return null;
  };
  return inChinese;
};

interface Form {
  readonly form: RegExp;
  readonly names: readonly string[];
  readonly chinese: string;
}

const toForm = ([english, chinese]: readonly [string, string]): Form => {
  const parts = english.split(/\{(\w+)\}/u);
  const form = parts.map((part, index) => (index % 2 === 0 ? escaped(part) : '([^]+?)')).join('');
  return { form: new RegExp(`^${form}$`, 'u'), names: parts.filter((_, index) => index % 2 === 1), chinese };
};

const escaped = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`);
