import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorWords } from '#display/error-words.ts';
import { ERRORS, isErrorCode } from '#protocol/errors.ts';

const TEXT = /'((?:[^'\\\n]|\\.)*\p{Script=Han}(?:[^'\\\n]|\\.)*)'/gu;

/** Every text in Chinese, wherever the tables are. */
const texts = globSync(['companion/**/*.ts', 'extension/**/*.{ts,tsx}']).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(TEXT)].map(([, text = '']) => ({ file, text })),
);

/** What is typed, or stands for something that is put in. */
const foreign = /`[^`]*`|\{[^{}]*\}|\$\d/gu;

describe('every text in Chinese', () => {
  test('has Chinese signs between Chinese words', () => {
    const wrong = texts.filter(({ text }) => /\p{Script=Han}[,;:!?()]|[,;:!?()]\p{Script=Han}/u.test(text.replaceAll(foreign, '')));

    expect(texts.length).toBeGreaterThan(1_000);
    expect(wrong).toEqual([]);
  });

  test.each(Object.keys(ERRORS).filter(isErrorCode))('of %s names the commands that the English names', (code) => {
    const commandsIn = (text: string): string[] =>
      [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command.replaceAll(/[A-Z]{3,}|\p{Script=Han}+/gu, ''));

    expect(commandsIn(errorWords[code].join(''))).toEqual(commandsIn(ERRORS[code].message + ERRORS[code].remedy));
  });
});
