/** The answers to a request: in which order they stand, and which keys choose them. */
import type { RequestBody, RequestOption } from '#protocol/requests.ts';

export interface KeyedOption {
  /** One letter, in upper or lower case as it is typed, or a digit; or `Enter`. */
  readonly key: string;
  readonly option: RequestOption;
}

/** Opens the line for the reason of a refusal. */
export const DENY_WHY_KEY = 'D';

/** How long a new card takes no answer, so that a key or finger that was already going down does not answer it. */
export const ARM_MS = 400;

/** An agent that asks one thing after the other needs this long at most from an answer to its next request. */
export const LEAD_ON_MS = 10_000;

/** The keys mean the same for every agent; `choice` has none of its own. */
const usualKeys: Readonly<Record<RequestOption['kind'], string | null>> = {
  allow_once: 'a',
  allow_session: 's',
  allow_always: 'A',
  reject: 'd',
  choice: null,
};

const order: readonly RequestOption['kind'][] = ['allow_once', 'allow_session', 'allow_always', 'choice', 'reject'];

/**
 * The answer that allows least comes first, whatever order the agent has. A second answer of a kind, and a choice, has its
 * number in the agent's order as its key.
 */
export const keyedOptions = (options: readonly RequestOption[]): KeyedOption[] => {
  const taken = new Set<string>();
  return options
    .map((option, index) => {
      const usual = usualKeys[option.kind];
      const key = usual === null || taken.has(usual) ? String(index + 1) : usual;
      taken.add(key);
      return { key, option };
    })
    .toSorted((one, other) => order.indexOf(one.option.kind) - order.indexOf(other.option.kind));
};

/**
 * The answers as a row and what folds behind it: what allows for longer than once has a place of its own, one step further away.
 * Where nothing can be allowed just once, and in a plan, whose answers are ways to go on, nothing is folded.
 */
export const answerRow = ({ kind, options }: Pick<RequestBody, 'kind' | 'options'>): { row: KeyedOption[]; more: KeyedOption[] } => {
  const keyed = keyedOptions(options);
  const isWider = ({ option }: KeyedOption): boolean => option.kind === 'allow_session' || option.kind === 'allow_always';
  if (kind === 'plan' || !options.some((option) => option.kind === 'allow_once')) return { row: keyed, more: [] };
  return { row: keyed.filter((answer) => !isWider(answer)), more: keyed.filter(isWider) };
};

/** The answers to questions: all are sent together, by `label` where the agent names it no other way, or refused. */
export const formRow = ({ options }: Pick<RequestBody, 'options'>, label: string): KeyedOption[] => {
  const accept = options.find(({ kind }) => kind !== 'reject') ?? { optionId: 'answer', label, kind: 'choice' };
  return [{ key: 'Enter', option: accept }, ...keyedOptions(options).filter(({ option }) => option.kind === 'reject')];
};

/** The answer that a key chooses. */
export const optionOfKey = (key: string, options: readonly RequestOption[]): RequestOption | undefined =>
  keyedOptions(options).find((keyed) => keyed.key === key)?.option;
