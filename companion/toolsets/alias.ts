/** A tool by another product's name: its arguments become calls of our own tools. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';

/** One call of our own. */
export interface Step {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

export interface Alias {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  /** Our tool that it is most like; the alias has its class, and exists where that tool does. */
  readonly like: string;
  /** The calls, one after the other; throws INPUT_INVALID with what is wrong and what is right. */
  toSteps(args: Readonly<Record<string, unknown>>): readonly Step[];
}

interface Declaration<S extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly like: string;
  readonly steps: (args: z.output<S>) => readonly Step[];
}

/** Arguments that the other product has and this does not are passed over, so that its clients work as they are. */
export const defineAlias = <S extends z.ZodObject>({ name, description, input, like, steps }: Declaration<S>): Alias => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return {
    name,
    description,
    inputSchema,
    like,
    toSteps: (args) => {
      const parsed = input.safeParse(args);
      if (parsed.success) return steps(parsed.data);
      const faults = parsed.error.issues.map((issue) => `"${issue.path.join('.')}": ${issue.message.slice(0, 200)}`);
      const expected = Object.entries(input.shape).map(([key, field]) => (field.safeParse(undefined).success ? `${key}?` : key));
      throw new CompanionError('INPUT_INVALID', `${name}: ${faults.join('; ')}. Expected arguments: ${expected.join(', ')}.`);
    },
  };
};

/** Arguments that mean nothing together. */
export const refuse = (detail: string): CompanionError => new CompanionError('INPUT_INVALID', detail);
