/**
 * Entry point of the keeper, a page without a window. It sees at once when the service worker was stopped, and starts it again:
 * nothing outside the browser can, and the companion would have to wait for the next alarm. It also does for the worker what only a page can.
 */
import { base64ToBytes } from '#extension/shared/base64.ts';
import { KeeperMessage } from '#extension/shared/messages.ts';

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

/** Only where the person has given the right to; a page that is not shown has the clipboard by no other way. */
const withField = (use: (field: HTMLTextAreaElement) => string): string => {
  const field = document.createElement('textarea');
  document.body.append(field);
  field.focus();
  try {
    return use(field);
  } finally {
    field.remove();
  }
};

const readClipboard = (): string =>
  withField((field) => {
    document.execCommand('paste');
    return field.value;
  });

const writeClipboard = (text: string): string =>
  withField((field) => {
    field.value = text;
    field.select();
    return document.execCommand('copy') ? 'done' : 'refused';
  });

const answer = (message: KeeperMessage): string => {
  switch (message.type) {
    case 'clipboard.read':
      return readClipboard();
    case 'clipboard.write':
      return writeClipboard(message.text);
    case 'blob':
      return URL.createObjectURL(new Blob([base64ToBytes(message.dataBase64)], { type: message.mimeType }));
    case 'blob.done':
      URL.revokeObjectURL(message.url);
      return 'done';
  }
};

chrome.runtime.onMessage.addListener((message: unknown, { id, url }, respond: (answer: string) => void) => {
  const parsed = KeeperMessage.safeParse(message);
  // Only the worker asks; it has no address, or that of its script.
  if (!parsed.success || id !== chrome.runtime.id || (url !== undefined && url !== chrome.runtime.getURL('background.js'))) return;
  respond(answer(parsed.data));
});
