/** The toolbar badge shows how many questions wait for the user. A click on it opens the panel and decides nothing. */

export const showAttention = (count: number): void => {
  void chrome.action.setBadgeText({ text: count === 0 ? '' : count > 99 ? '99+' : String(count) });
  void chrome.action.setBadgeBackgroundColor({ color: '#d64545' });
  void chrome.action.setTitle({
    title: count === 0 ? 'Open Pilotfish' : `Open Pilotfish: ${count === 1 ? 'a question waits' : `${count} questions wait`} for you`,
  });
};
