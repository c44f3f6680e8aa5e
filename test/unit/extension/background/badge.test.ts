import { afterEach, describe, expect, test, vi } from 'vitest';
import { showAttention } from '#extension/background/badge.ts';

/** The button in the toolbar of a browser in this language, as it was written last. */
const toolbarIn = (language: string): { text: string; title: string } => {
  const button = { text: '', title: '' };
  vi.stubGlobal('chrome', {
    i18n: { getUILanguage: () => language },
    action: {
      setBadgeText: async ({ text }: { text: string }) => void (button.text = text),
      setBadgeBackgroundColor: async () => {},
      setTitle: async ({ title }: { title: string }) => void (button.title = title),
    },
  });
  return button;
};

afterEach(() => void vi.unstubAllGlobals());

describe('the button in the toolbar', () => {
  test.each([
    ['en-GB', 0, '', 'Open Pilotfish'],
    ['en-GB', 1, '1', 'Open Pilotfish: 1 question waits for you'],
    ['en-GB', 140, '99+', 'Open Pilotfish: 140 questions wait for you'],
    ['zh-CN', 0, '', '打开 Pilotfish'],
    ['zh-CN', 2, '2', '打开 Pilotfish：有 2 个问题等待你回答'],
  ])('in %s, with %i requests that wait', (language, count, text, title) => {
    const button = toolbarIn(language);

    showAttention(count);

    expect(button).toEqual({ text, title });
  });
});
