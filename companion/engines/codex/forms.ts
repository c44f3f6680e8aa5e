/** The form of an MCP elicitation as questions, and the answers as its fields. */
import * as z from 'zod';
import { chosenFor } from '#companion/engines/codecs/ask-user.ts';
import type { Question } from '#protocol/requests.ts';

const Choice = z.object({ const: z.string(), title: z.string().optional() });

const Field = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  oneOf: z.array(Choice).optional(),
  items: z.looseObject({ enum: z.array(z.string()).optional(), anyOf: z.array(Choice).optional() }).optional(),
});
type Field = z.infer<typeof Field>;

/** A form made from MCP's `requestedSchema`. A schema that cannot be read becomes a plain yes or no. */
export const FormSchema = z.object({ properties: z.record(z.string(), Field) });
export type FormSchema = z.infer<typeof FormSchema>;

export const fieldsToQuestions = (form: FormSchema): Question[] =>
  Object.entries(form.properties).map(([name, field]) => {
    const options = choicesOf(field).map(({ label }) => ({ label }));
    return { question: questionOf(name, field), options, isMultiple: field.type === 'array', isOpen: options.length === 0 };
  });

/** Fields in the types the form wants; a field without an answer is left out. */
export const answersToFields = (form: FormSchema, answers: Readonly<Record<string, readonly string[]>>): Record<string, unknown> => {
  const fields = new Map<string, unknown>();
  for (const [name, field] of Object.entries(form.properties)) {
    const given = chosenFor(answers, questionOf(name, field));
    const values = given.map((answer) => choicesOf(field).find((choice) => choice.label === answer)?.value ?? answer);
    const [first] = values;
    if (first !== undefined) fields.set(name, field.type === 'array' ? values : typed(first, field.type));
  }
  return Object.fromEntries(fields);
};

const questionOf = (name: string, field: Field): string => field.description ?? field.title ?? name;

const choicesOf = (field: Field): { label: string; value: string }[] => {
  if (field.type === 'boolean') return ['Yes', 'No'].map((label) => ({ label, value: label === 'Yes' ? 'true' : 'false' }));
  const titled = field.oneOf ?? field.items?.anyOf;
  if (titled !== undefined) return titled.map((choice) => ({ label: choice.title ?? choice.const, value: choice.const }));
  return (field.enum ?? field.items?.enum ?? []).map((value) => ({ label: value, value }));
};

const typed = (value: string, type: string | undefined): unknown => {
  if (type === 'boolean') return value === 'true';
  if (type !== 'number' && type !== 'integer') return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
};
