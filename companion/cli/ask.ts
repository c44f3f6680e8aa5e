/** Asks the person at the terminal what the agent asks. */
import { createInterface } from 'node:readline/promises';
import type { Question, RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { plainText, toVisible } from '#display/plain-text.ts';
import { keyedOptions, optionOfKey } from '#display/request-options.ts';
import type { Io } from './io.ts';

/** Reads a line after a prompt; null when the input has ended or the question is void. */
type Ask = (prompt: string) => Promise<string | null>;

/** The answer; null when it was given elsewhere, or when nobody sits here and it has to be. */
export const askUser = async (io: Io, request: RequestBody, signal: AbortSignal, isJson: boolean): Promise<RequestAnswer | null> => {
  if (!isJson || io.isInteractive) for (const line of describeRequest(request)) io.note(line);
  if (!io.isInteractive) {
    if (!isJson) io.note('Answer it in the side panel or in `pilotfish`.');
    return null;
  }
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  // Iterated, because a line that comes while nothing is asked would otherwise be lost.
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
  toVisible(`? ${title}${where === undefined ? '' : ` (${where})`}`),
  // A command is often its own title; once is enough.
  ...(detail === undefined || detail.trim() === title.trim()
    ? []
    : toVisible(detail)
        .split('\n')
        .map((line) => `    ${line}`)),
];

const askOption = async ({ options }: RequestBody, ask: Ask): Promise<string | null> => {
  const list = keyedOptions(options)
    .map(({ key, option }) => `[${key}] ${option.label}`)
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
