import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { noticeText } from '#display/notice-text.ts';
import { engines } from '#companion/engines/index.ts';
import { inLanguage, words } from '#display/words.ts';
import { CompanionError } from '#protocol/errors.ts';
import { failureIn } from '#protocol/faults.ts';
import { fill } from '#protocol/fill.ts';
import { notice, NOTICES, type NoticeCode } from '#protocol/notices.ts';

const [english, chinese] = [inLanguage(words, 'en'), inLanguage(words, 'zh-CN')];
const codes = Object.keys(NOTICES).filter((code): code is NoticeCode => Object.hasOwn(NOTICES, code));

describe('what Pilotfish says in a conversation', () => {
  test('stands in the log in English, and is said in Chinese by its code, with what differs as it came', () => {
    const said = notice('task_not_stopped', { reason: 'no such task' });

    expect(said.text).toBe('The task could not be stopped: no such task');
    expect(noticeText(said, english)).toBe(said.text);
    expect(noticeText(said, chinese)).toBe('无法停止该任务：no such task');
    expect(noticeText({ ...said, text: 'as a later version words it' }, chinese)).toBe('无法停止该任务：no such task');
    expect(noticeText(notice('cannot_steer', { program: 'Claude Code' }), chinese)).toBe(
      '此版本的 Claude Code 不接受在任务进行中追加消息，因此未发送。请更新，或重新发送。',
    );
    expect(noticeText(notice('rerouted', { to: 'sonnet {from}', from: 'opus' }), chinese)).toBe('由 sonnet {from} 代替 opus 回答。');
  });

  test('says an error that stands in it in the language of the reader, with the words of the program that failed', () => {
    const failed = new CompanionError('GIT_FAILED', 'fatal: bad object').toBody();
    const said = notice('checkpoint_failed', { reason: failureIn(failed) });

    expect(noticeText(said, english)).toBe(said.text);
    expect(said.text.endsWith(`${failed.message} ${failed.remedy}`)).toBe(true);
    expect(noticeText(said, chinese)).toBe(
      '未能保存文件夹的状态，因此无法回到这次任务之前：Git 无法完成此操作。fatal: bad object 请查看 git 的说明，在仓库中修复后重试；没有丢失任何内容。',
    );
  });

  test('names no agent of itself', () => {
    const labels = engines.map(({ label }) => label);

    expect(labels).toContain('Claude Code');
    expect(codes.filter((code) => labels.some((label) => NOTICES[code].includes(label)))).toEqual([]);
  });

  test.each(codes)('%s has the same places to fill in both languages', (code) => {
    const values = Object.fromEntries([...NOTICES[code].matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? '', `<${name}>`]));
    const said = { text: fill(NOTICES[code], values), saying: { code, values } };

    expect([...noticeText(said, chinese).matchAll(/<\w+>/g)].map(String).toSorted()).toEqual(Object.values(values).toSorted());
    expect(noticeText(said, chinese)).not.toBe(said.text);
  });

  test('is known by its error code where it is one of the errors', () => {
    expect(noticeText({ text: 'The browser tools do not answer.', code: 'MCP_UNREACHABLE' }, chinese)).toMatch(/\p{Script=Han}/u);
  });

  test('has no sentence of its own beside the table', () => {
    const sources = globSync(['companion/engines/**/*.ts', 'companion/sessions/*.ts', 'companion/runs/*.ts']);
    const written = sources.flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/type: 'notice',\s+level: '\w+',\s+text: ['`][^'`]+/g),
    ]);

    expect(sources.length).toBeGreaterThan(50);
    expect(written.map(String)).toEqual([]);
  });

  test('stays as it is where it is the words of an agent, or of a version that is newer or older', () => {
    expect(noticeText({ text: 'It said so.' }, chinese)).toBe('It said so.');
    expect(noticeText({ text: 'It said so.', saying: { code: 'later', values: {} } }, chinese)).toBe('It said so.');
    expect(noticeText({ text: 'It said so.', saying: { code: '__proto__', values: {} } }, chinese)).toBe('It said so.');
    expect(noticeText({ text: 'It said so.', saying: { code: 'cannot_steer', values: {} } }, chinese)).toBe('It said so.');
  });
});
