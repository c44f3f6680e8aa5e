/** Asks the person at the terminal what the agent asks. */
import { createInterface } from 'node:readline/promises';
import type { Question, RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { plainText } from '#companion/lib/terminal-text.ts';
import type { Io } from './io.ts';

/** The answer; null when it was given elsewhere, or when nobody sits here and it has to be. */
export const askUser = async (io: Io, request: RequestBody, signal: AbortSignal, isJson: boolean): Promise<RequestAnswer | null> => {
  if (!isJson || io.isInteractive) for (const line of describeRequest(request)) io.note(line);
  if (!io.isInteractive) {
    if (!isJson) io.note('Answer it in the side panel or in `pilotfish`.');
    return null;
  }
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  const ask = (prompt: string): Promise<string> => reader.question(plainText(prompt), { signal });
  try {
    const questions = request.questions ?? [];
    if (questions.length === 0) return { optionId: await askOption(request, ask) };
    const answers: Record<string, string[]> = {};
    for (const question of questions) answers[question.question] = await askQuestion(question, ask);
    return { optionId: request.options.find(({ kind }) => kind !== 'reject')?.optionId ?? 'answer', answers };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    reader.close();
  }
};

const describeRequest = ({ title, where, detail }: RequestBody): string[] => [
  `? ${title}${where === undefined ? '' : ` (${where})`}`,
  ...(detail === undefined ? [] : detail.split('\n').map((line) => `    ${line}`)),
];

const askOption = async ({ options }: RequestBody, ask: (prompt: string) => Promise<string>): Promise<string> => {
  const list = options.map(({ label }, index) => `${index + 1} ${label}`).join(' · ');
  for (;;) {
    const chosen = options[Number(await ask(`  ${list}: `)) - 1];
    if (chosen !== undefined) return chosen.optionId;
  }
};

const askQuestion = async (
  { question, options, isMultiple, isOpen }: Question,
  ask: (prompt: string) => Promise<string>,
): Promise<string[]> => {
  const list = options.map(({ label }, index) => `${index + 1} ${label}`).join(' · ');
  const how = isMultiple ? ' (several numbers with commas)' : '';
  for (;;) {
    const reply = (await ask(`  ${question} ${list}${how}${isOpen ? ' or your own words' : ''}: `)).trim();
    const labels = reply.split(',').map((part) => options[Number(part.trim()) - 1]?.label);
    const known = labels.filter((label) => label !== undefined);
    if (known.length > 0 && known.length === labels.length) return isMultiple ? known : known.slice(0, 1);
    if (isOpen && reply !== '') return [reply];
  }
};
