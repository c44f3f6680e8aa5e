/** Handles what the agent asks: the person at the terminal answers, or a flag does. */
import { createInterface } from 'node:readline/promises';
import type { Question, RequestAnswer, RequestBody, RequestOption } from '#protocol/requests.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { plainText } from '#display/plain-text.ts';
import { keyedOptions, optionOfKey } from '#display/request-options.ts';
import type { Io } from './io.ts';
import { unknownValue } from './subcommand.ts';

/** Reads a line after a prompt; null when the input has ended or the question was withdrawn. */
type Ask = (prompt: string) => Promise<string | null>;

/** What is done with a question: it is put to the person here, refused, allowed, or left to another front end. */
export type OnAsk = 'ask' | 'deny' | 'allow' | 'wait';

export const onAskUsage: readonly string[] = [
  '--on-ask WHAT     when the agent asks: deny, allow, or wait for the side panel; without it you are asked here, and where no terminal is, it is denied',
];

/** Reads `--on-ask`. Without a terminal nobody can answer, and nothing is allowed that nobody has seen. */
export const readOnAsk = (value: string | undefined, isInteractive: boolean): OnAsk => {
  if (value === undefined) return isInteractive ? 'ask' : 'deny';
  if (value === 'deny' || value === 'allow' || value === 'wait') return value;
  throw unknownValue(`--on-ask ${value}`, value, ['deny', 'allow', 'wait']);
};

/** The answer, or null when it is given elsewhere. */
export const answerFor = async (io: Io, request: RequestBody, onAsk: OnAsk, signal: AbortSignal): Promise<RequestAnswer | null> => {
  for (const line of describeRequest(request)) io.note(line);
  if (onAsk === 'ask') return askUser(io, request, signal);
  const chosen = onAsk === 'wait' ? undefined : optionFor(onAsk, request);
  if (chosen === undefined) {
    io.note('Answer it in the side panel or in `pilotfish`.');
    return null;
  }
  const because = onAsk === 'deny' && !io.isInteractive ? ' (nobody is at the terminal; see --on-ask)' : '';
  io.note(`  ${chosen.label}${because}`);
  return { optionId: chosen.optionId };
};

/** The answer that allows least, or the refusal. A question that needs a choice or a text cannot be allowed, so it is refused too. */
const optionFor = (onAsk: 'deny' | 'allow', { options, questions = [] }: RequestBody): RequestOption | undefined => {
  const least = keyedOptions(options).find(({ option }) => option.kind.startsWith('allow'))?.option;
  const refusal = options.find(({ kind }) => kind === 'reject');
  return onAsk === 'allow' && questions.length === 0 ? (least ?? refusal) : refusal;
};

/** Asks the person at the terminal; null when the question was withdrawn or the input has ended. */
const askUser = async (io: Io, request: RequestBody, signal: AbortSignal): Promise<RequestAnswer | null> => {
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  // The lines are iterated, because a line that comes while nothing is asked would otherwise be lost.
  const lines = reader[Symbol.asyncIterator]();
  const close = (): void => reader.close();
  signal.addEventListener('abort', close, { once: true });
  // While it edits a line, readline gets ctrl+c instead of the process.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ask: Ask = async (prompt) => {
    if (signal.aborted) return null;
    reader.setPrompt(plainText(prompt));
    reader.prompt();
    const line = await lines.next();
    return line.done === true ? null : line.value;
  };
  try {
    return await askAll(request, ask);
  } finally {
    signal.removeEventListener('abort', close);
    reader.close();
  }
};

const askAll = async (request: RequestBody, ask: Ask): Promise<RequestAnswer | null> => {
  const questions = request.questions ?? [];
  if (questions.length === 0) {
    const optionId = await askOption(request, ask);
    return optionId === null ? null : { optionId };
  }
  const answers: Record<string, string[]> = {};
  for (const question of questions) {
    const chosen = await askQuestion(question, ask);
    if (chosen === null) return null;
    answers[question.question] = chosen;
  }
  return { optionId: request.options.find(({ kind }) => kind !== 'reject')?.optionId ?? 'answer', answers };
};

const describeRequest = ({ title, where, detail }: RequestBody): string[] => [
  // What goes on in further lines stands under the sign of the question.
  toVisible(`? ${title}${where === undefined ? '' : ` (${where})`}`).replaceAll('\n', '\n    '),
  // A command is often its own title, and is then not repeated.
  ...(detail === undefined || detail.trim() === title.trim()
    ? []
    : toVisible(detail)
        .split('\n')
        .map((line) => `    ${line}`)),
];

const askOption = async ({ options }: RequestBody, ask: Ask): Promise<string | null> => {
  const list = keyedOptions(options)
    .map(({ key, option }) => `[${key}] ${toVisible(option.label).replaceAll(/\s+/g, ' ')}`)
    .join(' · ');
  for (;;) {
    const reply = await ask(`  ${list}: `);
    if (reply === null) return null;
    const chosen = optionOfKey(reply.trim(), options);
    if (chosen !== undefined) return chosen.optionId;
  }
};

const askQuestion = async ({ question, options, isMultiple, isOpen }: Question, ask: Ask): Promise<string[] | null> => {
  const list = options.map(({ label }, index) => `${index + 1} ${label}`).join(' · ');
  const how = isMultiple ? ' (several numbers with commas)' : '';
  for (;;) {
    const reply = (await ask(`  ${question} ${list}${how}${isOpen ? ' or your own words' : ''}: `))?.trim();
    if (reply === undefined) return null;
    const labels = reply.split(',').map((part) => options[Number(part.trim()) - 1]?.label);
    const known = labels.filter((label) => label !== undefined);
    if (known.length > 0 && known.length === labels.length) return isMultiple ? known : known.slice(0, 1);
    if (isOpen && reply !== '') return [reply];
  }
};
