/** The form that answers the agent's questions, one after the other. */
import type { Question } from '#protocol/requests.ts';
import { paint } from '../paint.ts';
import { t } from '../say.ts';
import type { QuestionForm } from '../state.ts';
import { clean, cleanLine, wrap } from '../text.ts';

/** The lines of the form; the user's own words are edited in place. */
export const questionLines = (question: Question, form: QuestionForm, count: number, columns: number): string[] => {
  const rows = question.options.map(({ label, description }, index) => {
    const sign = question.isMultiple ? (form.chosen.includes(label) ? '[x]' : '[ ]') : '   ';
    return { text: `${sign} ${cleanLine(label)}`, description: description === undefined ? '' : cleanLine(description), index };
  });
  const own = question.isOpen
    ? [{ text: `    ${t('In your own words: {text}', { text: clean(form.draft.text) })}`, description: '', index: rows.length }]
    : [];
  return [
    ...(count > 1 ? [paint('dim', t('Question {number} of {count}', { number: form.index + 1, count }))] : []),
    ...wrap(cleanLine(question.question), columns).map((line) => paint('strong', line)),
    '',
    ...[...rows, ...own].flatMap(({ text, description, index }) => {
      const isSelected = index === form.row;
      const lines = wrap(text, columns - 3).map((line, part) => `${isSelected && part === 0 ? '›' : ' '} ${line}`);
      return [
        ...lines.map((line) => (isSelected ? paint('selected', line) : line)),
        ...(description === '' ? [] : wrap(description, columns - 8).map((line) => paint('dim', `      ${line}`))),
      ];
    }),
  ];
};
