import { describe, expect, test } from 'vitest';
import { errorText } from '#display/error-text.ts';
import { inLanguage, words } from '#display/words.ts';
import { CompanionError, ERRORS, isErrorCode } from '#protocol/errors.ts';

const english = inLanguage(words, 'en');
const chinese = inLanguage(words, 'zh-CN');

describe('the text of an error', () => {
  test.each(Object.keys(ERRORS).filter(isErrorCode))('%s has both languages', (code) => {
    const error = new CompanionError(code).toBody();

    expect(errorText(error, english)).toEqual({ message: ERRORS[code].message, remedy: ERRORS[code].remedy, detail: '' });
    const { message, remedy, detail } = errorText(error, chinese);
    expect(message).toMatch(/\p{Script=Han}.*。$/u);
    expect(remedy).toMatch(/\p{Script=Han}/u);
    expect(detail).toBe('');
  });

  test('keeps what was told beside it, and a remedy of its own, as they came', () => {
    const error = new CompanionError('WORKSPACE_NOT_FOUND', '/srv/tides', { remedy: 'Mount the disk.' }).toBody();

    expect(errorText(error, chinese)).toMatchObject({ message: '项目文件夹不存在。', detail: '/srv/tides\nMount the disk.' });
    expect(errorText({ ...error, message: 'Something else.' }, chinese).detail).toBe('Something else.\nMount the disk.');
  });
});
