/** Looks for the elements that a target in words or CSS means, step by step. */
import { LinearPattern } from '#extension/shared/linear-pattern.ts';
import { folded } from '#extension/shared/same-words.ts';
import {
  type Axis,
  type Choice,
  type Combinator,
  type Search,
  type Step,
  type Words,
  isSearch,
  stepsOf,
} from '#extension/shared/target-steps.ts';
import { attributeOf } from './component-says.ts';
import { contains, elementsOfBody, outerOf, parentOf, queryAll } from './composed.ts';
import { FaultError } from './fault.ts';
import { withoutHeld } from './held-secrets.ts';
import { onceInReading, whileReading } from './memo.ts';
import { clean, isLabelledButton, nameOf, textOf } from './name.ts';
import { isOwn } from './own.ts';
import { plain } from './plain.ts';
import { hasRef } from './refs.ts';
import { isNamedByContent, isOperable, roleOf } from './roles.ts';
import { attributesIn, probeIn } from './selector.ts';
import { isSensitive } from './sensitive.ts';
import { refuseToSearch } from './too-large.ts';
import { isVisible } from './visibility.ts';

/** In the order of the document; none where nothing is meant by it. */
export const select = (target: string): Element[] => {
  const steps = stepsOf(target.trim());
  // No CSS begins so, and what looks like attributes in it asks for none.
  if (steps === null || XPATH.test(target.trim())) throw notUnderstood(target);
  try {
    return whileReading(() => {
      for (const step of steps) if ('selector' in step) refuseProbe(step.selector);
      const found = follow(steps);
      return found.length === 0 && steps.every(({ by }) => by === 'css') ? saidWhole(target) : found;
    });
  } catch (error) {
    const said = error instanceof DOMException ? whileReading(() => saidWhole(target)) : [];
    if (said.length > 0) return said;
    if (error instanceof DOMException) throw notUnderstood(target);
    // A pattern that is wrong, or that takes too long.
    if (error instanceof SyntaxError || error instanceof RangeError)
      throw new FaultError('TOOL_ARGUMENTS', `The pattern in "target" cannot be used: ${error.message}.`);
    throw error;
  }
};

/** What nothing fits to as CSS may be what stands on the page, as the name of a file does. */
const saidWhole = (target: string): Element[] =>
  OF_CSS.test(target.trim()) ? [] : follow([{ by: 'text', words: { how: 'whole', text: target.trim() } }]);

/** No words begin so, or have that in them. */
const OF_CSS = /^[#.:*[]|[[\]>{}*=|]|::|:[a-z-]+\(/;

/** A comment of CSS begins with a stroke, too. */
const XPATH = /^(?:xpath=)?[(.]*\/[/a-z]/i;

const notUnderstood = (target: string): FaultError => {
  if (XPATH.test(target))
    return new FaultError(
      'TOOL_ARGUMENTS',
      `This XPath says more than is read here: "${target}". Give a ref, text=words or a CSS selector.`,
    );
  const ofFrames = /frame/i.test(target) ? ' What is in a frame is named by its ref alone, like f7e12.' : '';
  return new FaultError('TOOL_ARGUMENTS', `"target" is neither a ref like e12 nor a valid CSS selector: "${target}".${ofFrames}`);
};

const refuseProbe = (selector: string): void => {
  const telling = attributesIn(selector).find(tellsHeld);
  const probe = probeIn(selector) ?? (telling === undefined ? null : `[${telling}]`);
  if (probe === null) return;
  const detail = `"target" asks for values by ${probe}, which may not be read: take a ref from browser_snapshot, or a selector by tag, id, class, name, type or role.`;
  throw new FaultError('TOOL_ARGUMENTS', detail);
};

/** Whether an element tells by this attribute what a secret field holds. */
const tellsHeld = (name: string): boolean =>
  queryAll(`[${name}]`).some((element) => {
    const value = element.getAttribute(name) ?? '';
    return withoutHeld(value) !== value;
  });

const follow = (steps: readonly Step[]): Element[] => {
  let found: Element[] | null = null;
  for (const step of steps) found = [...new Set(isSearch(step) ? find(step, found) : choose(step, found ?? everywhere()))];
  return found ?? [];
};

const everywhere = (): Element[] => {
  refuseToSearch();
  return elementsOfBody();
};

/** In all that was found before it, or in the whole page. */
const find = (step: Search, from: readonly Element[] | null): Element[] => {
  const inside = (): Element[] => from?.flatMap((element) => queryAll('*', element)) ?? everywhere();
  switch (step.by) {
    case 'css':
      return from === null ? queryAll(step.selector) : from.flatMap((element) => related(element, step.combinator, step.selector));
    case 'text': {
      const all = [...(from ?? []), ...inside()];
      const said = saying(step.words, all);
      // A field shows as words what it is called, as long as nothing is written in it.
      return said.length > 0
        ? said
        : called({ ...step.words, how: step.words.how === 'pattern' ? 'pattern' : 'whole' }, all).filter(isVisible);
    }
    case 'role': {
      const ofRole = inside().filter((element) => roleOf(element) === step.role && isShown(element));
      const read = (element: Element): string => nameOf(element, step.role) || (NAMED_BY_TEXT.has(step.role) ? textOf(element) : '');
      return step.name === null ? ofRole : going(step.name, ofRole, read);
    }
    case 'label':
      return called(step.words, inside());
    case 'placeholder':
    case 'alt':
    case 'title':
      return going(
        step.words,
        inside().filter((element) => plain(element).hasAttribute(step.by)),
        (element) => clean(plain(element).getAttribute(step.by) ?? ''),
      );
  }
};

/** Of some boxes nothing is drawn but their label, as a picture; and what only keys reach, for what is drawn beside it, was told. */
const isShown = (element: Element): boolean =>
  isVisible(element) ||
  isDrawnAround(element) ||
  (hasRef(element) && plain(element).checkVisibility()) ||
  (isBox(element) && [...(element.labels ?? [])].some(isVisible));

const isBox = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type);

/** A box of no size, in the place of which a page draws one of its own. */
const isDrawnAround = (element: Element): boolean => isBox(element) && plain(element).checkVisibility();

/** What a snapshot shows with all that is in it has that as its name here. */
const NAMED_BY_TEXT = new Set(['row', 'cell', 'gridcell', 'columnheader', 'rowheader', 'heading', 'tooltip', 'listitem']);

const choose = (step: Choice, from: readonly Element[]): Element[] => {
  switch (step.by) {
    case 'fits':
      return from.filter((element) => plain(element).matches(step.selector));
    case 'holds':
      return holding(step.words, from);
    case 'holdsNot': {
      const held = new Set(holding(step.words, from));
      return from.filter((element) => !held.has(element));
    }
    case 'says':
      return saying(step.words, from);
    case 'nth':
      return from.slice(step.index).slice(0, 1);
    case 'visible':
      return from.filter(isVisible);
    case 'parent':
      return from.flatMap((element) => parentOf(element) ?? []);
    case 'axis':
      return from.flatMap((element) => {
        const fitting = alongAxis(element, step.axis).filter((other) => plain(other).matches(step.selector) && !isOwn(other));
        return step.place === null ? fitting : (fitting.at(step.place === 'last' ? -1 : step.place - 1) ?? []);
      });
  }
};

/** The nearest comes first. */
const alongAxis = (element: Element, axis: Axis): Element[] => {
  const after = (at: Element): Element | null => {
    if (axis === 'following-sibling') return plain(at).nextElementSibling;
    return axis === 'preceding-sibling' ? plain(at).previousElementSibling : parentOf(at);
  };
  const found: Element[] = [];
  for (let next = after(element); next !== null; next = after(next)) {
    found.push(next);
    if (axis === 'parent') break;
  }
  return found;
};

/** What a label names. */
const NAMED = 'input:not([type="hidden"]), select, textarea, meter, output, progress, [contenteditable], [aria-labelledby]';

const called = (words: Words, all: readonly Element[]): Element[] =>
  going(
    words,
    all.filter((element) => plain(element).matches(NAMED) || isLabelledButton(element) || attributeOf(element, 'aria-label') !== null),
    (element) => nameOf(element, roleOf(element)),
  );

const related = (element: Element, combinator: Combinator, selector: string): Element[] => {
  if (combinator === ' ') return queryAll(selector, element);
  if (combinator === '>') return [...plain(element).querySelectorAll(`:scope > ${selector}`)].filter((child) => !isOwn(child));
  const after: Element[] = [];
  for (let next = plain(element).nextElementSibling; next !== null; next = plain(next).nextElementSibling) {
    if (plain(next).matches(selector) && !isOwn(next)) after.push(next);
    if (combinator === '+') break;
  }
  return after;
};

/** Those that go by the words; capitals make no difference. */
const going = (words: Words, elements: readonly Element[], read: (element: Element) => string): Element[] => {
  const named = elements.map((element) => ({ element, text: folded(withoutHeld(read(element))) }));
  for (const fits of testsOf(words)) {
    const found = named.filter(({ element, text }) => fits(text) && !isInSecret(element));
    if (found.length > 0) return found.map(({ element }) => element);
  }
  return [];
};

/** What a secret field is made of says, piece by piece, what is written in it; a snapshot shows none of that. */
const isInSecret = (element: Element): boolean => {
  for (let at = parentOf(element); at !== null; at = parentOf(at)) if (isSensitive(at)) return true;
  return false;
};

/** One after the other, until something fits. */
const testsOf = ({ how, text }: Words): readonly ((shown: string) => boolean)[] => {
  const wanted = folded(clean(text));
  const isWhole = (shown: string): boolean => shown === wanted;
  switch (how) {
    case 'whole':
      return [isWhole];
    case 'part':
      return [(shown) => shown.includes(wanted)];
    case 'near':
      return [isWhole, (shown) => holdsWords(shown, wanted, true), (shown) => holdsWords(shown, wanted, false)];
    case 'pattern': {
      const pattern = new LinearPattern(text);
      return [(shown) => pattern.search(shown) >= 0];
    }
  }
};

/** Whether these words stand in a text, not within other words: as they are, or as the beginning of a longer one. */
const holdsWords = (shown: string, wanted: string, isWhole: boolean): boolean => {
  for (let at = shown.indexOf(wanted); at >= 0; at = shown.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (!isInWord(shown.slice(at - 1, at + 1)) && !(isWhole && isInWord(shown.slice(end - 1, end + 1)))) return true;
  }
  return false;
};

/** Two letters or numbers beside each other, in a script that leaves spaces between words. */
const isInWord = (pair: string): boolean => /^[\p{L}\p{N}]{2}$/u.test(pair) && !UNSPACED.test(pair);

const UNSPACED = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}\p{sc=Khmr}\p{sc=Laoo}\p{sc=Mymr}\p{sc=Thai}]/u;

/** In a larger page an element is asked for what styles draw in it only where it holds a word of what is looked for. */
const MANY_ELEMENTS = 5_000;
const MANY_LEVELS = 150;
/** What holds more text says nothing by itself. */
const MAX_SAID = 5_000;

/** Those that show the words: of elements inside each other the innermost. In a large page those are looked at first that hold each of the words. */
const saying = (words: Words, all: readonly Element[]): Element[] => {
  const isLarge = all.length >= MANY_ELEMENTS || isDeep(all);
  const each = words.how === 'pattern' ? [] : folded(clean(words.text)).split(' ');
  const found = isLarge && each.length > 1 ? sayingAmong(words, all, each) : [];
  return found.length > 0 ? found : sayingAmong(words, all, isLarge ? each.slice(0, 1) : []);
};

/** Of those that may hold what is to be in their text. */
const sayingAmong = (words: Words, all: readonly Element[], held: readonly string[]): Element[] => {
  const mayHold = glanceFor(words, held);
  for (const fits of testsOf(words)) {
    let found: Element[] = [];
    // From the end of the document: what is inside an element comes before it, and is meant.
    for (const element of all.toReversed()) {
      if (found[0] !== undefined && plain(element).contains(found[0])) continue;
      if (!mayHold(element) || !(isVisible(element) || isDrawnAround(element))) continue;
      // An element may hold another one behind a shadow root.
      if (!says(element, fits) || found.some((inner) => contains(element, inner)) || isInSecret(element)) continue;
      // What stands in a slot comes after what is drawn around it.
      found = [element, ...found.filter((outer) => !contains(outer, element))];
    }
    if (found.length > 0) return found;
  }
  return [];
};

/** What is around a button without text says by the button's name what only the button is called. */
const says = (element: Element, fits: (shown: string) => boolean): boolean =>
  fits(saidBy(element)) || (isCalled(element) && fits(calledBy(element)));

const saidBy = onceInReading((element: Element) => folded(withoutHeld(shownIn(element))));
const calledBy = onceInReading((element: Element) => folded(withoutHeld(nameOf(element, roleOf(element)))));

const isCalled = (element: Element): boolean => {
  const role = roleOf(element);
  // A sign has the words that come up beside the pointer for its name.
  return isOperable(role) && isNamedByContent(role) && ['aria-label', 'title'].some((name) => attributeOf(element, name) !== null);
};

/** A button's words are an attribute of it where it is a field of a form. */
const shownIn = (element: Element): string =>
  element instanceof HTMLInputElement && BUTTONS.has(element.type) ? nameOf(element, 'button') : textOf(element, MAX_SAID);

const BUTTONS = new Set(['button', 'submit', 'reset']);

/** Those in which the words are shown, however much there is beside them. */
const holding = (words: Words, all: readonly Element[]): Element[] => {
  const first = words.how === 'pattern' ? '' : firstWordOf(words);
  const read = (element: Element): string => clean(textOf(element, Infinity));
  return going(
    words,
    all.filter((element) => isVisible(element) && (folded(plain(element).textContent ?? '').includes(first) || drawsMore(element))),
    read,
  );
};

const firstWordOf = ({ text }: Words): string => folded(clean(text)).split(' ')[0] ?? '';

/** Words may also come from pictures and attributes in it. */
const drawsMore = (element: Element): boolean => plain(element).querySelector('img, svg, [aria-label], input') !== null;

/** Cheap first: most elements hold far more text or none of it. */
const glanceFor = (words: Words, each: readonly string[]): ((element: Element) => boolean) => {
  const most = words.how === 'whole' ? words.text.length * 4 + 100 : MAX_SAID;
  return onceInReading((element: Element) => {
    const text = plain(element).textContent ?? '';
    if (text.length >= most) return false;
    const read = each.length === 0 ? '' : folded(text);
    return (
      each.every((word) => read.includes(word)) || isCalled(element) || plain(element).querySelector('img, svg, [aria-label]') !== null
    );
  });
};

/** Whether many elements lie inside each other: the text of each would be read again for each around it. */
const isDeep = (all: readonly Element[]): boolean => {
  const levels = new Map<Element, number>();
  return all.some((element) => {
    const levelOf = (levels.get(outerOf(element) ?? element) ?? 0) + 1;
    levels.set(element, levelOf);
    return levelOf > MANY_LEVELS;
  });
};
