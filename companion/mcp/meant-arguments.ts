/** Arguments as they are meant: models know other tools, too, and write numbers as text. Pure. */
import * as z from 'zod';
import { NO_EFFECT, TOOL_WIDE_META, type ToolInfo } from '#protocol/browser.ts';
import { isObject } from '#companion/lib/is-object.ts';
import { ignoredWords } from '#companion/toolsets/alias.ts';
import { lettersApart } from '#companion/toolsets/nearest-tool.ts';
import { meantTarget } from './meant-target.ts';

/** A call's arguments in the tool's own words, and what the model is told about that. */
interface Meant {
  readonly args: Record<string, unknown>;
  readonly notes: readonly string[];
}

/** What other tools call the same thing; the first that a tool has counts. */
const ALIASES = new Map<string, readonly string[]>([
  ['ref', ['target']],
  ['uid', ['target']],
  ['selector', ['target']],
  ['locator', ['target']],
  ['css', ['target']],
  ['xpath', ['target']],
  ['elementRef', ['target']],
  ['targetRef', ['target']],
  ['startRef', ['startTarget']],
  ['endRef', ['endTarget']],
  ['fromUid', ['startTarget']],
  ['toUid', ['endTarget']],
  ['source', ['startTarget']],
  ['destination', ['endTarget']],
  ['target', ['endTarget']],
  ['script', ['function']],
  ['code', ['function']],
  ['expression', ['function']],
  ['javascript', ['function']],
  ['js', ['function']],
  ['value', ['text', 'values', 'promptText']],
  ['option', ['values', 'text']],
  ['options', ['values']],
  ['label', ['values']],
  ['labels', ['values']],
  ['values', ['value']],
  ['content', ['text']],
  ['checked', ['value']],
  ['keys', ['key']],
  ['dblClick', ['doubleClick']],
  ['double', ['doubleClick']],
  ['clicks', ['clickCount']],
  ['numClicks', ['clickCount']],
  ['tab', ['tabId']],
  ['pageId', ['tabId']],
  ['format', ['type']],
  ['href', ['url']],
  ['address', ['url']],
  ['filePath', ['paths', 'filename']],
  ['filePaths', ['paths']],
  ['elements', ['fields']],
  ['files', ['paths']],
  ['text', ['value', 'key', 'values', 'function', 'target', 'promptText']],
  ['prompt', ['message', 'promptText']],
  ['answer', ['promptText']],
  ['actions', ['calls']],
  ['commands', ['calls']],
  ['steps', ['calls']],
  ['tool', ['name']],
  ['toolName', ['name']],
  ['method', ['name']],
  ['function', ['name']],
  ['args', ['arguments']],
  ['input', ['arguments', 'text']],
  ['params', ['arguments']],
  ['parameters', ['arguments']],
  ['clip', ['region']],
  ['query', ['text', 'filter', 'find']],
  ['search', ['text', 'filter', 'find']],
  ['includeStatic', ['static']],
  ['pattern', ['filter', 'regex']],
  ['urlPattern', ['response', 'pattern', 'filter']],
  ['request', ['response']],
  ['requestUrl', ['response']],
  ['responseUrl', ['response']],
  ['networkRequest', ['response']],
  ['refId', ['target']],
  ['fromRef', ['startTarget']],
  ['toRef', ['endTarget']],
  ['scrollDirection', ['direction']],
  ['to', ['direction', 'endTarget', 'endTime']],
  ['from', ['startTarget', 'startTime']],
  ['since', ['startTime']],
  ['until', ['endTime']],
  ['limit', ['maxResults']],
  ['seconds', ['time']],
  ['duration', ['time']],
  ['reqid', ['index']],
  ['requestId', ['index']],
  ['operation', ['action']],
  ['question', ['message']],
  ['choices', ['options']],
  ['networkConditions', ['network']],
  ['cpuThrottlingRate', ['cpuSlowdown']],
  ['timezoneId', ['timezone']],
  ['prefersReducedMotion', ['reducedMotion']],
  ['prefersContrast', ['contrast']],
]);

const Schema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
  additionalProperties: z.unknown().optional(),
});
const Property = z.object({
  type: z.string().optional(),
  enum: z.array(z.unknown()).default([]),
  items: z.unknown().optional(),
});

/** A tool's schema is the same for all its calls. */
const parsed = new WeakMap<object, z.infer<typeof Schema>>();

const parseSchema = (schema: unknown): z.infer<typeof Schema> => {
  if (!isObject(schema)) return Schema.parse(schema);
  const known = parsed.get(schema) ?? Schema.parse(schema);
  parsed.set(schema, known);
  return known;
};

/** How much is read at most: what is given beyond the bounds means the most there is, or the least. */
const MEASURES = new Set(['maxTokens', 'depth', 'page']);
const Bounds = z.object({ minimum: z.number().default(-Infinity), maximum: z.number().default(Infinity) });

const withinBounds = (name: string, value: unknown, property: unknown): unknown => {
  const bounds = MEASURES.has(name) && typeof value === 'number' ? Bounds.safeParse(property).data : undefined;
  return bounds === undefined ? value : Math.min(bounds.maximum, Math.max(bounds.minimum, Number(value)));
};

/** What names an element. */
const TARGETS = new Set(['target', 'startTarget', 'endTarget']);

/** What others say of an element or a field for the person to read; a call means the same without it. */
const DESCRIBING = new Set(['element', 'startElement', 'endElement']);
const DESCRIBING_FIELD = new Set([...DESCRIBING, 'name', 'label', 'type']);

/** What cannot be meant is left as it is, so that the check of the arguments names it. */
export const meantArguments = ({ inputSchema, _meta }: ToolInfo, args: Readonly<Record<string, unknown>>): Meant => {
  const ignored: string[] = [];
  const asGiven = meantObject(inputSchema, args, DESCRIBING, ignored);
  const meant = ignored.length === 0 ? atFocus(inputSchema, asGiven) : asGiven;
  // Without what was to limit it, such a call would be about more than was meant.
  const { properties } = parseSchema(inputSchema);
  const isUnknown = (name: string): boolean => Object.hasOwn(args, name) && !Object.hasOwn(properties, name);
  const wide = _meta[TOOL_WIDE_META];
  const kept = wide === true || (wide !== undefined && wide === meant['action']) ? ignored.filter(isUnknown) : [];
  const told = ignored.filter((name) => !kept.includes(name));
  return {
    args: { ...meant, ...Object.fromEntries(kept.map((name) => [name, args[name]])) },
    notes: told.length === 0 ? [] : [ignoredWords(told)],
  };
};

/** A text for no field goes to the one with the focus, as the keys of a person do; a field that is meant in words is not guessed. */
const atFocus = (schema: unknown, meant: Record<string, unknown>): Record<string, unknown> => {
  const isForField = parseSchema(schema).required.join() === 'target,text';
  const isBare = Object.hasOwn(meant, 'text') && !Object.hasOwn(meant, 'target') && !Object.hasOwn(meant, 'element');
  return isForField && isBare ? { target: ':focus', ...meant } : meant;
};

const meantObject = (
  schema: unknown,
  whole: Readonly<Record<string, unknown>>,
  describing: ReadonlySet<string>,
  ignored: string[],
): Record<string, unknown> => {
  const { properties, required, additionalProperties } = parseSchema(schema);
  const isKnown = (name: string): boolean => Object.hasOwn(properties, name);
  const args = apart(asChord(named(gathered(whole, properties), properties), properties), properties);
  const free = Object.keys(properties).filter((name) => !Object.hasOwn(args, name));
  const meant = new Map<string, unknown>();
  for (const [given, value] of Object.entries(args)) {
    const name = isKnown(given) ? given : nameFor(given, free);
    const isNeeded = name === null ? additionalProperties !== false : required.includes(name) || takesNull(properties[name]);
    if (value === null && !isNeeded) continue;
    if (name !== null && hasNoEffect(properties[name])) ignored.push(name);
    else if (name !== null && TARGETS.has(name) && typeof value === 'string')
      meant.set(name, plain(given) === 'text' ? `text=${value}` : meantTarget(value));
    else if (name !== null) meant.set(name, withinBounds(name, toMeant(value, properties[name], ignored), properties[name]));
    else if (additionalProperties !== false) meant.set(given, value);
    else if (describing.has(given)) continue;
    else if (isMisspelt(given, Object.keys(properties)) || changesMeaning(given, value, properties)) meant.set(given, value);
    else ignored.push(given.slice(0, MAX_NAME_CHARS));
  }
  // A field that is only named is the one with that label.
  const label = describing === DESCRIBING_FIELD ? (args['name'] ?? args['label']) : undefined;
  if (typeof label === 'string' && required.includes('target') && !meant.has('target'))
    meant.set('target', `label=${JSON.stringify(label)}i`);
  // A place beside a ref inside a frame is one in that frame.
  const target = meant.get('target');
  if (typeof target === 'string' && !/^f\d/.test(target))
    ignored.push(...['x', 'y'].filter((name) => typeof meant.get(name) === 'number' && meant.delete(name)));
  return Object.fromEntries(meant);
};

/** What others give in one argument, or in another measure. */
const apart = (args: Readonly<Record<string, unknown>>, properties: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).flatMap(([name, value]): [string, unknown][] => {
      if (Object.hasOwn(properties, 'key') && /^keys?$/.test(name) && Array.isArray(value)) return [['key', value.join('+')]];
      const inside = TARGETS.has(nameFor(name, Object.keys(properties)) ?? '') && isObject(value) ? value : null;
      const ends = ENDS.find(([names, x]) => Object.hasOwn(properties, x) && names.test(plain(name)));
      const end = ends === undefined ? null : placeIn(inside?.['coordinate'] ?? value);
      if (ends !== undefined && end !== null)
        return [
          [ends[1], end.x],
          [ends[2], end.y],
        ];
      // Several of what a call names one of, where the tool takes that.
      if (Array.isArray(value) && value.length > 1 && Object.hasOwn(properties, name) && Object.hasOwn(properties, `${name}s`))
        return [[`${name}s`, value]];
      if (inside !== null) return Object.entries(inside).flatMap((entry) => targetOrPlace(name, entry));
      if (Object.hasOwn(properties, name)) return [[name, value]];
      const own = inOwnWords(plain(name), value, properties);
      if (own !== null) return [own];
      const action = Object.hasOwn(args, 'action') ? null : actionFor(name, value, properties['action']);
      if (action !== null) return [['action', action]];
      const size = Object.hasOwn(properties, 'width') && SIZES.has(plain(name)) ? sizeIn(value) : null;
      if (size !== null) return Object.entries(size);
      const place = Object.hasOwn(properties, 'x') && PLACES.has(plain(name)) ? placeIn(value) : null;
      if (place !== null) return Object.entries(place);
      if (!Object.hasOwn(properties, 'direction') || !Number.isFinite(Number(value))) return [[name, value]];
      const way = WHEELS.get(plain(name));
      if (way !== undefined && Number(value) !== 0)
        return [
          ['direction', way[Number(value) > 0 ? 1 : 0]],
          ['amount', Math.abs(Number(value))],
        ];
      return plain(name) === 'scrollamount' ? [['amount', Number(value) * TICK_PX]] : [[name, value]];
    }),
  );

/** What others say by a word, or by a list, of what is another argument here. */
const inOwnWords = (name: string, value: unknown, properties: Readonly<Record<string, unknown>>): [string, unknown] | null => {
  const takes = (own: string): boolean => Object.hasOwn(properties, own);
  const words = (Array.isArray(value) ? value : [value]).map((word) => String(word).toLowerCase());
  if (takes('level') && name === 'onlyerrors' && words[0] === 'true') return ['level', 'error'];
  if (takes('level') && (name === 'types' || name === 'levels')) return ['level', leastOf(words)];
  if (takes('url') && name === 'type' && /^(?:back|forward|reload)$/.test(words[0] ?? '')) return ['url', words[0]];
  if (takes('submit') && name === 'submitkey' && words[0] === 'enter') return ['submit', true];
  if (takes('accept') && name === 'dismiss' && CLAIMS.has(words[0] ?? '')) return ['accept', CLAIMS.get(words[0] ?? '') === false];
  if (takes('accept') && name === 'action' && /^(?:accept|dismiss)$/.test(words[0] ?? '')) return ['accept', words[0] === 'accept'];
  // What code is given is the element.
  const [only, ...others] = Array.isArray(value) ? value : [];
  const given = isObject(only) ? (only['uid'] ?? only['ref']) : only;
  return takes('function') && takes('target') && name === 'args' && others.length === 0 && typeof given === 'string'
    ? ['target', given]
    : null;
};

/** The least severe of some kinds of messages; none means all. */
const leastOf = (kinds: readonly string[]): string => {
  const levels = kinds.map((kind) =>
    /^(?:error|assert)$/.test(kind) ? 0 : /^warn(?:ing)?$/.test(kind) ? 1 : /^(?:debug|verbose)$/.test(kind) ? 3 : 2,
  );
  return ['error', 'warning', 'info', 'debug'][levels.length === 0 ? 3 : Math.max(...levels)] ?? 'info';
};

/** An element as `{ ref }`, a place as `{ coordinate }`. */
const targetOrPlace = (name: string, [kind, value]: [string, unknown]): [string, unknown][] => {
  const place = PLACES.has(plain(kind)) ? placeIn(value) : null;
  if (place !== null) return Object.entries(place);
  return nameFor(kind, ['target']) === null ? [] : [[name, value]];
};

/** What others switch on is one of the actions of a tool that has such: `block: true`. */
const actionFor = (name: string, value: unknown, property: unknown): unknown => {
  const choices = Property.safeParse(property).data?.enum ?? [];
  const action = toChoice(plain(name), choices);
  return String(value) === 'true' && choices.includes(action) ? action : null;
};

/** What stands beside the name of a call in a batch, or of a tool of the page, is what that is given. */
const gathered = (
  args: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  if (!Object.hasOwn(properties, 'name') || !Object.hasOwn(properties, 'arguments')) return args;
  const [own, others] = [true, false].map((isOwn) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => (nameFor(name, Object.keys(properties)) !== null) === isOwn)),
  );
  const hasGiven = Object.keys(own ?? {}).some((name) => nameFor(name, ['arguments']) !== null);
  return hasGiven ? args : { ...own, arguments: others };
};

/** An element that is named by its role, and by what it is called, where it is named in no other way. */
const named = (
  args: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const { role, name, ...others } = args;
  const isNamed = Object.keys(others).some((given) => nameFor(given, ['target', 'x']) !== null || PLACES.has(plain(given)));
  if (!Object.hasOwn(properties, 'target') || isNamed || typeof role !== 'string') return args;
  return { ...others, target: typeof name === 'string' ? `role=${role}[name=${JSON.stringify(name)}]` : `role=${role}` };
};

/** The keys that are held down with another one, where others name them apart from it. */
const asChord = (
  args: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const { modifiers, ...others } = args;
  const held = toList(modifiers, HELD);
  const name = Object.keys(others).find((given) => nameFor(given, ['key']) !== null);
  const isChord = name !== undefined && typeof others[name] === 'string' && held.every((key) => typeof key === 'string');
  if (!isChord || !Object.hasOwn(properties, 'key') || Object.hasOwn(properties, 'modifiers')) return args;
  return { ...others, [name]: [...held, others[name]].join('+') };
};

/** As the schema of a click has them. */
const HELD = { enum: ['Alt', 'Control', 'Meta', 'Shift'] };

const SIZES = new Set(['size', 'viewport', 'viewportsize', 'dimensions', 'windowsize']);

/** A width and a height as an object, a pair, or `800x600`. */
const sizeIn = (value: unknown): Record<string, unknown> | null => {
  const read = typeof value === 'string' ? value.split(/[x×,]/) : value;
  const [width, height, ...others] = Array.isArray(read) ? read : isObject(read) ? [read['width'], read['height']] : [];
  return width === undefined || height === undefined || others.length > 0 ? null : { width, height };
};

const PLACES = new Set(['coordinate', 'coordinates', 'position', 'point']);
/** The ends of a drag, and what their places are called here. */
const ENDS: readonly (readonly [names: RegExp, x: string, y: string])[] = [
  [/^(?:start|from)(?:coordinates?|position|point|target)?$/, 'startX', 'startY'],
  [/^(?:(?:end|to)(?:coordinates?|position|point|target)?|coordinates?)$/, 'endX', 'endY'],
];

const WHEELS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['deltay', ['up', 'down']],
  ['deltax', ['left', 'right']],
]);

/** How far a wheel turns by one of its steps. */
const TICK_PX = 100;

/** A place as text: `[20, 30]`. */
const PAIR = /^\s*[[(]?\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*[\])]?\s*$/;

const placeIn = (given: unknown): { readonly x: unknown; readonly y: unknown } | null => {
  const [, ...pair] = typeof given === 'string' ? (PAIR.exec(given) ?? []) : [];
  const value = pair.length > 0 ? pair : readObject(given);
  const [x, y, ...others] = Array.isArray(value) ? value : isObject(value) ? [value['x'], value['y']] : [];
  return x === undefined || y === undefined || others.length > 0 ? null : { x, y };
};

const MAX_NAME_CHARS = 40;

/** The same name written in another way, or the name of another tool for the same thing. */
const nameFor = (given: string, free: readonly string[]): string | null => {
  if (given.length > MAX_NAME_CHARS) return null;
  const wanted = plain(given);
  const aliases = PLAIN_ALIASES.get(wanted) ?? [];
  return free.find((name) => plain(name) === wanted) ?? aliases.find((name) => free.includes(name)) ?? null;
};

const plain = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase();

/** By names in which neither case nor dashes count; where two come to the same, the first. */
const PLAIN_ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  [...ALIASES].toReversed().map(([alias, names]) => [plain(alias), names]),
);

/** What a function is to be called with, or that a text is to stand beside what is there: without it something else would be done. */
const changesMeaning = (given: string, value: unknown, properties: Readonly<Record<string, unknown>>): boolean =>
  (given === 'args' && Object.hasOwn(properties, 'function') && !(Array.isArray(value) && value.length === 0)) ||
  (Object.hasOwn(properties, 'slowly') && BESIDE.get(plain(given)) === String(value));

const BESIDE: ReadonlyMap<string, string> = new Map([
  ['append', 'true'],
  ['clear', 'false'],
  ['clearfirst', 'false'],
  ['replace', 'false'],
]);

/** Whether it is nearly one of the names: leaving it out would do something else than was meant. */
const isMisspelt = (given: string, names: readonly string[]): boolean =>
  given.length <= MAX_NAME_CHARS &&
  names.some((name) => lettersApart(given.toLowerCase(), name.toLowerCase()) <= (name.length > 4 ? 2 : 1));

const toMeant = (value: unknown, property: unknown, ignored: string[]): unknown => {
  const parsed = Property.safeParse(property);
  if (!parsed.success) return value;
  const { type, enum: choices, items } = parsed.data;
  const read = type === 'object' ? (onEarth(value, property) ?? onlyNamed(value, property) ?? readObject(value)) : value;
  if (type === 'object' && isObject(read) && isObject(property)) return meantObject(property, read, DESCRIBING_FIELD, ignored);
  if (type === 'array') return toList(value, items).map((item) => (items === undefined ? item : toMeant(item, items, ignored)));
  if (choices.length > 0) return toChoice(value, choices);
  if (type === 'number' || type === 'integer')
    return typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return typeof value === 'string' ? (CLAIMS.get(value.toLowerCase()) ?? value) : value;
  if (type === 'string') return toText(value);
  return value;
};

/** In the words of styles, too: `prefers-reduced-motion: reduce`, `forced-colors: active`. */
const CLAIMS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['reduce', true],
  ['active', true],
  ['no-preference', false],
  ['none', false],
]);

/** A list of one for the one, and an option that is told as an object. */
const toText = (value: unknown): unknown => {
  const [only, ...others] = Array.isArray(value) ? value : isObject(value) ? optionIn(value) : [value];
  const one = others.length === 0 ? only : value;
  return typeof one === 'number' || typeof one === 'boolean' ? String(one) : typeof one === 'string' ? one : value;
};

/** `{ label: 'Dog' }` */
const optionIn = (option: Readonly<Record<string, unknown>>): unknown[] => {
  const [[name, said] = [], ...others] = Object.entries(option);
  return others.length === 0 && ['label', 'value', 'text'].some((known) => known === name) ? [said] : [option];
};

const hasNoEffect = (property: unknown): boolean => isObject(property) && property[NO_EFFECT] === true;

/** Null says something there, as that a setting is given back. */
const takesNull = (property: unknown): boolean =>
  z
    .object({ anyOf: z.array(z.unknown()) })
    .safeParse(property)
    .data?.anyOf.some((kind) => Property.safeParse(kind).data?.type === 'null') ?? false;

/** A place on the Earth, as `52.5,13.4` or `52.5x13.4`; null where none is meant. */
const onEarth = (value: unknown, property: unknown): Record<string, number> | null => {
  const [, latitude, longitude] = typeof value === 'string' ? (/^\s*(-?[\d.]+)\s*[,x]\s*(-?[\d.]+)\s*$/.exec(value) ?? []) : [];
  if (latitude === undefined || longitude === undefined || !Object.hasOwn(parseSchema(property).properties, 'latitude')) return null;
  return { latitude: Number(latitude), longitude: Number(longitude) };
};

/** A call of a batch that is given nothing, as its name alone. */
const onlyNamed = (value: unknown, property: unknown): Record<string, unknown> | null =>
  typeof value === 'string' && /^\w+$/.test(value) && Object.keys(parseSchema(property).properties).join() === 'name,arguments'
    ? { name: value }
    : null;

/** An object may be written as text. */
const readObject = (value: unknown): unknown => {
  const read = typeof value === 'string' && value.trimStart().startsWith('{') ? parsedOrNull(value) : null;
  return isObject(read) ? read : value;
};

/** One thing for a list of one; a list may be written as text, and what is chosen from a few words as `ctrl+shift`. */
const toList = (value: unknown, items: unknown): unknown[] => {
  if (Array.isArray(value)) return value;
  const fields = fieldsByName(readObject(value), items);
  if (fields !== null) return fields;
  if (isObject(value) && Property.safeParse(items).data?.type === 'number') return cornersIn(value);
  if (typeof value !== 'string') return [value];
  if (value.trimStart().startsWith('[')) {
    const read = parsedOrNull(value);
    return Array.isArray(read) ? read : [value];
  }
  const { type, enum: choices = [] } = Property.safeParse(items).data ?? {};
  return choices.length > 0 || type === 'number' ? value.split(/[+,\s]+/).filter((part) => part !== '') : [value];
};

/** Several fields as an object, each by what it is called or by its target: `{ Name: 'Ann', '#mail': 'a@b.example' }`. Null for one field. */
const fieldsByName = (value: unknown, items: unknown): unknown[] | null => {
  if (!isObject(value) || !isObject(items) || parseSchema(items).required.join() !== 'target,value') return null;
  const isOne = Object.keys(value).some((name) => nameFor(name, ['target']) !== null || plain(name) === 'value');
  return isOne ? null : Object.entries(value).map(([name, given]) => ({ [AS_TARGET.test(name) ? 'target' : 'name']: name, value: given }));
};

/** A ref, a selector, or `label=`. */
const AS_TARGET = /^(?:@?(?:f\d+)?e\d+$|[#.[]|[a-z-]+=)/;

/** A part of a picture by two corners, or by one and its size. */
const cornersIn = ({ x0, y0, x1, y1, x = x0, y = y0, width, height }: Readonly<Record<string, unknown>>): unknown[] => [
  x,
  y,
  x1 ?? Number(x) + Number(width),
  y1 ?? Number(y) + Number(height),
];

const parsedOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** What others offer or call so; the answer says what it is. */
const LIKE = new Map([
  ['jpg', 'jpeg'],
  ['webp', 'jpeg'],
  ['create', 'new'],
  ['open', 'new'],
  ['switch', 'select'],
  ['activate', 'select'],
  ['focus', 'select'],
  ['remove', 'close'],
  ['abort', 'block'],
  ['fulfill', 'mock'],
  ['ctrl', 'Control'],
  ['cmd', 'Meta'],
  ['command', 'Meta'],
  ['win', 'Meta'],
  ['super', 'Meta'],
  ['option', 'Alt'],
  ['warn', 'warning'],
  ['log', 'info'],
  ['verbose', 'debug'],
  // The tools of Chrome have renamed it.
  ['slow-4g', 'fast-3g'],
  ['no-emulation', 'online'],
]);

/** `Slow 3G` is `slow-3g`. */
const spoken = (choice: string): string => choice.toLowerCase().replaceAll(/[\s_-]+/g, '-');

const toChoice = (value: unknown, choices: readonly unknown[]): unknown => {
  if (typeof value !== 'string' || choices.includes(value)) return value;
  const own = value === 'ControlOrMeta' ? (process.platform === 'darwin' ? 'Meta' : 'Control') : value;
  const wanted = choices.includes(own) ? own : (LIKE.get(spoken(own)) ?? own);
  const isWanted = (choice: unknown): boolean => typeof choice === 'string' && spoken(choice) === spoken(wanted);
  return choices.find(isWanted) ?? value;
};
