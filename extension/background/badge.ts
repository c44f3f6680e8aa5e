/** The toolbar badge shows how many questions wait for the user. A click on it opens the panel and decides nothing. */
import { counted } from '#protocol/counted.ts';

export const showAttention = (count: number): void => {
  void chrome.action.setBadgeText({ text: count === 0 ? '' : count > 99 ? '99+' : String(count) });
  void chrome.action.setBadgeBackgroundColor({ color: '#d64545' });
  void chrome.action.setTitle({ title: titleOf(count, chrome.i18n.getUILanguage().startsWith('zh')) });
};

/** The toolbar is the browser's, and so is its language. */
const titleOf = (count: number, isChinese: boolean): string => {
  if (isChinese) return count === 0 ? '打开 Pilotfish' : `打开 Pilotfish：有 ${count} 个问题等待你回答`;
  return count === 0 ? 'Open Pilotfish' : `Open Pilotfish: ${counted(count, 'question')} ${count === 1 ? 'waits' : 'wait'} for you`;
};
