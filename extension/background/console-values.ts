/** Values that a page wrote to its console, as a person reads them there: also what objects hold, two levels deep. Nothing of the page runs for it. */
import * as z from 'zod';

const MAX_OBJECTS = 100;
const MAX_FIELDS = 30;
/** The debugger leaves out the middle of a longer text in a preview, so that a secret in it would not be known again. */
const MAX_PREVIEWED = 100;

const Previewed = z.looseObject({ type: z.string(), value: z.string().optional(), description: z.string().optional() });
const Preview = z.looseObject({
  subtype: z.string().optional(),
  description: z.string().optional(),
  overflow: z.boolean(),
  properties: z.array(Previewed.extend({ name: z.string() })),
  entries: z.array(z.looseObject({ key: Previewed.optional(), value: Previewed })).optional(),
});

/** A value as the debugger tells of it. */
export const Remote = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  value: z.unknown().optional(),
  description: z.string().optional(),
  className: z.string().optional(),
  objectId: z.string().optional(),
  preview: Preview.optional(),
});
export type Remote = z.infer<typeof Remote>;

const Properties = z.object({
  result: z.array(z.looseObject({ name: z.string(), enumerable: z.boolean(), value: Remote.optional() })),
});
const Returned = z.object({ result: Remote });

type Send = (method: string, params: Record<string, unknown>) => Promise<unknown>;

/** What the newest of the objects hold. */
export const contentsOf = async (values: readonly Remote[], send: Send): Promise<ReadonlyMap<Remote, string>> => {
  const objects = values.filter(isOpened).slice(-MAX_OBJECTS);
  // An object may be gone with its frame.
  const read = await Promise.all(objects.map((value) => contentOf(value, send).catch(() => null)));
  return new Map(objects.flatMap((value, index): [Remote, string][] => (typeof read[index] === 'string' ? [[value, read[index]]] : [])));
};

/** The values of one call in a line, with what its first one asks for by %s and the like put in. */
export const writtenOf = (values: readonly Remote[], contents: ReadonlyMap<Remote, string>): string => {
  const written = values.map((value) =>
    typeof value.value === 'string'
      ? value.value
      : (contents.get(value) ?? value.description ?? JSON.stringify(value.value) ?? 'undefined'),
  );
  const [format = '', ...others] = written;
  if (typeof values[0]?.value !== 'string' || others.length === 0) return written.join(' ');
  const first = format.replaceAll(/%([sdifoOc%])/g, (all, kind: string) => {
    if (kind === '%') return '%';
    const next = others.shift();
    return next === undefined ? all : kind === 'c' ? '' : next;
  });
  return [first, ...others].join(' ');
};

const OPENED = new Set([undefined, 'array', 'map', 'set']);

const isOpened = ({ type, subtype, objectId }: Remote): boolean => type === 'object' && objectId !== undefined && OPENED.has(subtype);

const contentOf = async ({ subtype, className, objectId }: Remote, send: Send): Promise<string> => {
  if (subtype === 'map' || subtype === 'set') {
    const itself = { objectId, functionDeclaration: 'function () { return this; }', generatePreview: true };
    const { preview } = Returned.parse(await send('Runtime.callFunctionOn', itself)).result;
    return preview === undefined ? '' : previewed(preview);
  }
  const { result } = Properties.parse(await send('Runtime.getProperties', { objectId, ownProperties: true, generatePreview: true }));
  const fields = result.filter(({ enumerable }) => enumerable);
  const isList = subtype === 'array';
  const shown = fields.slice(0, MAX_FIELDS).map(({ name, value }) => (isList ? valueOf(value) : `${name}: ${valueOf(value)}`));
  return enclosed(shown, isList, className ?? 'Object', fields.length > MAX_FIELDS);
};

/** A getter is not asked. */
const valueOf = (value: Remote | undefined): string => {
  if (value === undefined) return '(…)';
  if (value.preview !== undefined && OPENED.has(value.subtype)) return previewed(value.preview);
  if (typeof value.value === 'string') return `"${value.value}"`;
  // Of what is true, false or null the debugger gives the value alone.
  return shortOf({ ...value, value: value.value === undefined ? undefined : JSON.stringify(value.value) });
};

const previewed = ({ subtype, description = 'Object', overflow, properties, entries }: z.infer<typeof Preview>): string => {
  if (entries !== undefined || subtype === 'map' || subtype === 'set') {
    const pairs = (entries ?? []).map(({ key, value }) => `${key === undefined ? '' : `${shortOf(key)} => `}${shortOf(value)}`);
    return enclosed(pairs, false, description, overflow);
  }
  const isList = subtype === 'array';
  return enclosed(
    properties.map((field) => (isList ? shortOf(field) : `${field.name}: ${shortOf(field)}`)),
    isList,
    description,
    overflow,
  );
};

const shortOf = ({ type, value, description }: z.infer<typeof Previewed>): string => {
  if (type === 'function') return 'function';
  if (type === 'accessor') return '(…)';
  const text = value ?? description ?? type;
  if (type !== 'string') return text;
  return text.length >= MAX_PREVIEWED ? '"…"' : `"${text}"`;
};

const enclosed = (parts: readonly string[], isList: boolean, name: string, isCut: boolean): string => {
  const all = [...parts, ...(isCut ? ['…'] : [])].join(', ');
  return isList ? `[${all}]` : `${name === 'Object' ? '' : `${name} `}{${all}}`;
};
