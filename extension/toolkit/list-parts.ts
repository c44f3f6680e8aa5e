/** What a list consists of: its items, each with its number, and what stands between them. */
import type { SnapChild, SnapNode } from '#extension/content/api.ts';

type Part = { readonly item: SnapNode; readonly number: number } | { readonly others: readonly SnapChild[] };

/** An item goes on from the number before, unless it has one of its own. */
export function* listParts(children: readonly SnapChild[]): Generator<Part> {
  let number = 0;
  let others: SnapChild[] = [];
  for (const child of children) {
    if (!isItem(child)) {
      others.push(child);
      continue;
    }
    if (others.length > 0) yield { others };
    others = [];
    number = child.value === undefined ? number + 1 : Number(child.value);
    yield { item: child, number };
  }
  if (others.length > 0) yield { others };
}

const isItem = (child: SnapChild): child is SnapNode => typeof child === 'object' && child?.role === 'listitem';
