import { ACTING_PORT } from '#extension/shared/ports.ts';

/** The page that starts this worker again, see extension/keeper. */
const PAGE = 'keeper.html';

/** Opens the keeper unless it is there: it outlives the worker. `onWake` is called when it found the worker stopped. */
export const keepAwake = (onWake: () => void): void => {
  chrome.runtime.onConnect.addListener((port) => {
    // A content script runs inside foreign pages, which have one port only.
    if (port.sender?.url === chrome.runtime.getURL(PAGE)) onWake();
    else if (port.name !== ACTING_PORT) port.disconnect();
  });
  void keeperIsOpen();
};

/** Resolves when the keeper is there. */
export const keeperIsOpen = async (): Promise<void> => {
  const contexts = await chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] });
  if (contexts.length > 0) return;
  await chrome.offscreen
    .createDocument({
      url: PAGE,
      reasons: ['WORKERS'],
      justification: 'Starts the service worker again when it was stopped, so that agents reach the browser.',
    })
    // Another start of the worker has just opened it.
    .catch(() => null);
};
