import { describe, expect, it } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { News } from '#extension/background/news.ts';

const mine = SessionId.parse('session_1');
const other = SessionId.parse('session_2');

describe('the news of tabs', () => {
  it('are told once, to the session whose tabs they are about, in few words', () => {
    const news = new News();
    news.erred(1, 2);
    news.failed(1);
    news.failed(2);
    news.closed(3, mine);

    expect(news.take(other, null)).toBeNull();
    expect(news.take(mine, 1)).toBe('State: 2 console errors; 1 failed request; closed: tab 3.');
    expect(news.take(mine, 1)).toBeNull();
    expect(news.take(mine, 2)).toBe('State: 1 failed request.');
  });

  it('tell of a tab that a page has opened, unless the call that led to it tells', () => {
    const news = new News();
    news.opened(4, mine);
    news.tells(5);
    news.opened(5, mine);

    expect(news.take(other, 1)).toBeNull();
    expect(news.take(mine, 1)).toBe('State: opened: tab 4.');
    expect(news.take(mine, 1)).toBeNull();
  });

  it('cost nothing where there is nothing to tell, and at most 15 tokens with something of each usual kind', () => {
    const news = new News();
    expect(news.take(mine, 1)).toBeNull();
    news.erred(1, 12);
    news.failed(1);
    news.closed(3, mine);

    // Texts like these have four characters a token.
    expect((news.take(mine, 1) ?? '').length / 4).toBeLessThanOrEqual(15);
  });

  it('tell each session in a tab, once, that the person has closed the bar of the debugger there, and what goes on', () => {
    const news = new News();
    news.refused(1, { hadPretence: false });

    const told = news.take(mine, 1) ?? '';
    expect(told).toMatch(/^State: the user has closed the bar of the debugger: .*go on.*do not.*until the user hands the tab over anew\.$/);
    // Texts like these have four characters a token.
    expect(told.length / 4).toBeLessThanOrEqual(80);
    expect(news.take(mine, 1)).toBeNull();
    expect(news.take(other, 2)).toBeNull();
    expect(news.take(other, 1)).toBe(told);
    expect(news.take(other, 1)).toBeNull();
  });

  it('tell that with the bar what the tab pretended has ended, and nothing once the person has handed the tab over anew', () => {
    const news = new News();
    news.refused(1, { hadPretence: true });

    expect(news.take(mine, 1)).toContain('closed the bar of the debugger; routes and emulation of this tab have ended: ');
    news.refused(1, null);
    expect(news.take(other, 1)).toBeNull();
  });

  it('tell that the tab came to another site than that for which it pretended something', () => {
    const news = new News();
    news.left(1);

    expect(news.take(mine, 1)).toBe('State: routes and emulation of this tab have ended, it shows another site now.');
  });

  it('leave out what a call closed itself, and the tabs of the person', () => {
    const news = new News();
    news.closes(1);
    news.erred(1, 1);
    news.closed(1, mine);
    news.closed(2, null);

    expect(news.take(mine, 1)).toBeNull();
  });
});
