import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';
import { didYouMean } from './subcommand.ts';

/** The name of an agent that there is; nothing is begun for another. */
export const knownEngine = async ({ client }: Pick<Io, 'client'>, wanted: string): Promise<string> => {
  const names = (await client.engines.list()).map(({ name }) => name);
  if (names.includes(wanted)) return wanted;
  throw new CompanionError('ENGINE_UNKNOWN', `${wanted}; there are ${names.join(', ')}.${didYouMean(wanted, names)}`);
};
