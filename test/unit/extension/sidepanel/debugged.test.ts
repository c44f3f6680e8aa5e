import { describe, expect, it } from 'vitest';
import { DebugReason } from '#extension/shared/messages.ts';
import { whyDebugged } from '#extension/sidepanel/debugged.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';

describe("why Chrome's bar is there for a tab", () => {
  it('is told in the language of the panel, with each reason', () => {
    expect(whyDebugged(['seen', 'input'], createTranslate('en'))).toBe(
      'Chrome shows its bar about debugging for this tab: the page behaves as if it were in front, real keys and clicks are given. It goes by itself soon after that; if you close it, the agent goes on without.',
    );
    const chinese = whyDebugged(DebugReason.options, createTranslate('zh'));
    expect(chinese).toContain('让网页像在前台一样运行、使用真实的按键和点击、截取画面');
    expect(chinese.replaceAll(/Chrome|Cookie/g, '')).not.toMatch(/[a-z{}]/i);
  });

  it('is nothing where the debugger is not there', () => {
    expect(whyDebugged([], createTranslate('en'))).toBe('');
  });
});
