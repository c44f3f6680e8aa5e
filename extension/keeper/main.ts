/**
 * Entry point of the keeper, a page without a window. It sees at once when the service worker was stopped, and starts it again:
 * nothing outside the browser can, and the companion would have to wait for the next alarm.
 */
/** A worker that ends at once is not started in a tight loop. */
const PAUSE_MS = 250;

const watch = (): void => {
  // Connecting starts a worker that does not run.
  const port = chrome.runtime.connect();
  port.onDisconnect.addListener(() => {
    // Reading it keeps Chrome from reporting it.
    void chrome.runtime.lastError;
    setTimeout(watch, PAUSE_MS);
  });
};

watch();
