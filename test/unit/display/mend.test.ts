import { describe, expect, test } from 'vitest';
import { errorParts } from '#display/error-text.ts';
import { mendOf } from '#display/mend.ts';
import { inLanguage, words } from '#display/words.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';

const [english, chinese] = [inLanguage(words, 'en'), inLanguage(words, 'zh-CN')];

describe('an error', () => {
  test.each([
    ['ENGINE_NOT_LOGGED_IN', 'log_in'],
    ['ENGINE_MODEL_UNKNOWN', 'choose_model'],
    ['ENGINE_CONTEXT_FULL', 'new_session'],
    ['ENGINE_BUDGET_REACHED', 'raise_limit'],
    ['PROMPT_BUDGET_REACHED', 'retry'],
    ['ENGINE_OVERLOADED', 'retry'],
    ['ENGINE_CRASHED', 'retry'],
  ] as const)('%s is mended by one thing: %s', (code, mend) => {
    expect(mendOf(code)).toBe(mend);
  });

  test('is a title, a sentence, and apart from them the words of a provider', () => {
    const said = '401 {"type":"authentication_error"}';
    const error = new CompanionError('ENGINE_NOT_LOGGED_IN', said).toBody();

    expect(errorParts(error, english)).toEqual({ title: 'The agent is not logged in.', sentence: error.remedy, detail: said });
    expect(errorParts(error, chinese)).toEqual({
      title: '智能体尚未登录。',
      sentence: '请在终端中登录该智能体，然后重新发送。',
      detail: said,
    });
  });

  test('with a remedy of its own says that, in the language of its reader', () => {
    const error = new CompanionError('ENGINE_NOT_FOUND', '', { remedy: explain('install_it', { command: 'npm i -g claude' }) }).toBody();

    expect(errorParts(error, english).sentence).toBe('Install it: `npm i -g claude`.');
    expect(errorParts(error, chinese)).toMatchObject({ sentence: '请安装：`npm i -g claude`。', detail: '' });
  });
});
