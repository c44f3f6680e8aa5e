/** What an element is: its ARIA role, or one of our own where ARIA has none. */
import { attributeOf } from './component-says.ts';
import { plain } from './plain.ts';

const INPUT_ROLES: Record<string, string> = {
  button: 'button',
  checkbox: 'checkbox',
  color: 'color',
  date: 'date',
  'datetime-local': 'datetime',
  file: 'file',
  hidden: '',
  image: 'button',
  month: 'month',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
  time: 'time',
  week: 'week',
};

/** A page may give an element any name, also that of something which every object has. */
const TAG_ROLES = new Map(
  Object.entries({
    article: 'article',
    aside: 'complementary',
    audio: 'audio',
    blockquote: 'blockquote',
    button: 'button',
    canvas: 'canvas',
    code: 'code',
    datalist: '',
    details: 'group',
    dialog: 'dialog',
    dl: 'list',
    embed: 'embed',
    fieldset: 'group',
    figure: 'figure',
    form: 'form',
    h1: 'heading',
    h2: 'heading',
    h3: 'heading',
    h4: 'heading',
    h5: 'heading',
    h6: 'heading',
    hr: 'separator',
    iframe: 'iframe',
    frame: 'iframe',
    img: 'img',
    li: 'listitem',
    main: 'main',
    menu: 'list',
    meter: 'meter',
    nav: 'navigation',
    object: 'embed',
    ol: 'list',
    option: 'option',
    output: 'status',
    p: 'paragraph',
    pre: 'pre',
    progress: 'progressbar',
    search: 'search',
    summary: 'button',
    svg: 'img',
    table: 'table',
    tbody: 'rowgroup',
    td: 'cell',
    textarea: 'textbox',
    tfoot: 'rowgroup',
    th: 'columnheader',
    thead: 'rowgroup',
    tr: 'row',
    ul: 'list',
    video: 'video',
  }),
);

const NO_ROLE = new Set(['none', 'presentation', 'generic', '']);

/** Roles a user operates; only these always get a ref. */
const OPERABLE = new Set([
  'button',
  'checkbox',
  'color',
  'combobox',
  'date',
  'datetime',
  'file',
  'gridcell',
  'link',
  'listbox',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'month',
  'option',
  'radio',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
  'time',
  'treeitem',
  'week',
]);

/** Roles whose name may come from their content (WAI-ARIA 1.2, 5.2.8.5). */
const NAMED_BY_CONTENT = new Set([
  'button',
  'checkbox',
  'clickable',
  'link',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'switch',
  'tab',
  'treeitem',
]);

export const isOperable = (role: string): boolean => OPERABLE.has(role);
export const isNamedByContent = (role: string): boolean => NAMED_BY_CONTENT.has(role);

/** Fields that hold text the user writes. */
export const isTextField = (element: Element): element is HTMLInputElement | HTMLTextAreaElement =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && (!(element.type in INPUT_ROLES) || ['search', 'number'].includes(element.type)));

export const isFileField = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && element.type === 'file';

/** The element that begins an editable region. */
export const isEditingHost = (element: Element): element is HTMLElement =>
  element instanceof HTMLElement && plain(element).isContentEditable && !isDesigned(element) && !isEdited(plain(element).parentElement);

/** Whether it says that it shows a list of what fits to its text. */
export const suggests = (element: Element): boolean =>
  (isTextField(element) || isEditingHost(element)) && /^(?:list|both)$/.test(plain(element).getAttribute('aria-autocomplete') ?? '');

/** A field in which something is written to choose it; some pages make theirs of what can be edited. */
export const isSearchField = (element: Element): boolean => isTextField(element) || suggests(element);

const isEdited = (around: HTMLElement | null): boolean => around !== null && plain(around).isContentEditable && !isDesigned(around);

/** Whether it can be edited as all of its page can, of which the body is what is written in: https://html.spec.whatwg.org/#making-entire-documents-editable:-the-designmode-idl-attribute */
const isDesigned = (element: Element): boolean => element === document.documentElement && document.designMode === 'on';

/** Roles of fields that a page makes of other elements. */
const FIELD_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

/** Finds what `isMadeField` may say yes of. In a large page the browser asks most elements one thing so, and not one after the other. */
export const MADE_FIELDS = `[role]:is(${[...FIELD_ROLES].map((role) => `[role~="${role}" i]`).join(', ')})`;

/** A field by its role only; what can be edited is none for the browser, or nothing can. */
export const isMadeField = (element: Element): element is HTMLElement =>
  element instanceof HTMLElement &&
  FIELD_ROLES.has(givenRole(element) ?? '') &&
  !(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement);

/** The first role of the standard's, as browsers read it: any other word is the page's own. */
const givenRole = (element: Element): string | undefined =>
  attributeOf(element, 'role')
    ?.toLowerCase()
    .split(/\s+/)
    .find((role) => ROLES.has(role));

/** https://w3c.github.io/aria/#role_definitions, and those of its modules for graphics, publishing and documents' parts. */
const ROLES: ReadonlySet<string> = new Set(
  `alert alertdialog application article associationlist associationlistitemkey associationlistitemvalue banner blockquote button caption cell
   checkbox code columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form
   generic graphics-document graphics-object graphics-symbol grid gridcell group heading image img insertion link list listbox listitem log main
   mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar
   radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong
   subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`.split(
    /\s+/,
  ),
);

/** The field that a label stands for, also from words within the label, and the group of a legend; the element itself elsewhere. */
export const labelledBy = (element: Element): Element => {
  if (isOperable(roleOf(element))) return element;
  const own = plain(element);
  return own.closest('label')?.control ?? groupOf(own.closest('legend')) ?? element;
};

const groupOf = (legend: Element | null): Element | null =>
  legend?.parentElement instanceof HTMLFieldSetElement && legend.querySelector('input, select, textarea, button') === null
    ? legend.parentElement
    : null;

/** What an element is, for an error: its role, or the name of an element of HTML. A name that the page has made up is not repeated. */
export const kindOf = (element: Element): string => {
  const { localName } = plain(element);
  const isKnown = element instanceof HTMLElement && !(element instanceof HTMLUnknownElement) && !localName.includes('-');
  return roleOf(element) || (isKnown ? localName : 'element');
};

/** The role of an element; an empty string when it means nothing by itself. */
export const roleOf = (element: Element): string => {
  const given = givenRole(element);
  if (given !== undefined && !NO_ROLE.has(given)) return given;
  if (isEditingHost(element)) return 'textbox';
  const own = ownRole(element);
  // A presentational list or table is only layout, but what can be operated stays what it is.
  return given !== undefined && !OPERABLE.has(own) ? '' : own;
};

const ownRole = (element: Element): string => {
  if (element instanceof HTMLInputElement) {
    const role = INPUT_ROLES[element.type] ?? 'textbox';
    return element.list !== null && role === 'textbox' ? 'combobox' : role;
  }
  const { localName } = plain(element);
  if (localName === 'a' || localName === 'area') {
    return element.hasAttribute('href') || element.hasAttribute('xlink:href') ? 'link' : '';
  }
  if (element instanceof HTMLSelectElement) return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
  if (localName === 'section') return hasOwnName(element) ? 'region' : '';
  if (localName === 'header') return isPageLevel(element) ? 'banner' : '';
  if (localName === 'footer') return isPageLevel(element) ? 'contentinfo' : '';
  return TAG_ROLES.get(localName) ?? '';
};

const hasOwnName = (element: Element): boolean => element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby');

const isPageLevel = (element: Element): boolean => element.closest('article, aside, main, nav, section') === null;
