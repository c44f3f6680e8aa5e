import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { noticeText } from '#display/notice-text.ts';
import { inLanguage, words } from '#display/words.ts';

const [english, chinese] = [inLanguage(words, 'en'), inLanguage(words, 'zh-CN')];

describe('what Pilotfish says in a conversation', () => {
  test('is said in Chinese, with what differs as it came', () => {
    expect(noticeText('The earlier conversation was summarised to make room.', chinese)).toBe('为腾出空间，之前的对话已做摘要。');
    expect(noticeText('The task could not be stopped: no such task', chinese)).toBe('无法停止该任务：no such task');
    expect(noticeText('Answered by sonnet {from} instead of opus.', chinese)).toBe('由 sonnet {from} 代替 opus 回答。');
    expect(
      noticeText('The model reads 8192 tokens: it gets 9 of the 31 browser tools. Load it with a larger context for all.', chinese),
    ).toBe('模型可读 8192 个 token：在 31 个浏览器工具中获得 9 个。用更大的上下文加载模型即可获得全部。');
  });

  test('has Chinese words for every sentence that a part of the companion says so', () => {
    const sources = globSync(['companion/engines/**/*.ts', 'companion/sessions/*.ts', 'companion/runs/*.ts']);
    const said = sources.flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const written = /type: 'notice',\s+level: '\w+',\s+text: (?:'(?<plain>[^']+)'|`(?<filled>[^`]+)`)/g;
      return [...text.matchAll(written)].map(
        ({ groups }) => groups?.['plain'] ?? groups?.['filled']?.replaceAll(/\$\{[^}]+\}/g, 'X') ?? '',
      );
    });

    expect(said.length).toBeGreaterThan(8);
    expect(said.filter((sentence) => noticeText(sentence, chinese) === sentence)).toEqual([]);
  });

  test('stays as it is in English, and where it is the words of an agent', () => {
    const ours = 'The task could not be stopped: no such task';

    expect(noticeText(ours, english)).toBe(ours);
    expect(noticeText(`It said: ${ours}`, chinese)).toBe(`It said: ${ours}`);
  });
});
