/** The service worker. It may be stopped at any line: every listener is registered synchronously, and truth is kept in the companion. */
import '#extension/shared/jitless.ts';
import { type CaptureAnswer, CONNECTION_KEY, type ConnectionState, PageMessage, type WorkerMessage } from '#extension/shared/messages.ts';
import { CallJournal } from './call-journal.ts';
import { Conversation } from './conversation.ts';
import { NativePort } from './native-port.ts';
import { PageContext } from './page-context.ts';
import { loadProfile } from './profile.ts';
import { TabEvents } from './tab-events.ts';
import { ToolContexts } from './tool-contexts.ts';
import { ToolRunner } from './tool-runner.ts';

/** Should the worker be killed with its port, the next alarm starts it again; the smallest period Chrome grants. */
const RECONNECT_ALARM = 'reconnect';
const RECONNECT_MINUTES = 0.5;

const journal = new CallJournal();
const profile = loadProfile();
let browserLabel = 'this browser';
void profile.then(({ label }) => {
  browserLabel = label;
});

const ownPort = (): number | null => {
  const state = port.state();
  return state.state === 'connected' ? state.port : lastPort;
};
/** The daemon's port is off limits for pages even while the connection is being made anew. */
let lastPort: number | null = null;

const contexts = new ToolContexts({ events: new TabEvents(), ownPort, browser: () => browserLabel });
const runner = new ToolRunner(contexts, journal);
const pageContext = new PageContext(contexts);

let sendFocus = (): void => {};
const port = new NativePort({
  converse: (send) => {
    sendFocus = () => send({ type: 'focus' });
    return new Conversation(send, { profile, journal, runner, sessionTabs: contexts.sessionTabs });
  },
  onState: (state) => {
    if (state.state === 'connected') lastPort = state.port;
    publish(state);
  },
});

const publish = (state: ConnectionState): void => {
  void chrome.storage.session.set({ [CONNECTION_KEY]: state });
  // Nobody listens while no page of ours is open.
  chrome.runtime.sendMessage({ type: 'connection.changed', state } satisfies WorkerMessage).catch(() => {});
};

/** Only our own pages may ask, and no content script: it runs inside foreign pages. */
const isOwnPage = (sender: chrome.runtime.MessageSender): boolean =>
  sender.id === chrome.runtime.id && sender.url?.startsWith(chrome.runtime.getURL('')) === true;

chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: ConnectionState | CaptureAnswer) => void) => {
  const parsed = PageMessage.safeParse(message);
  if (!parsed.success || !isOwnPage(sender)) return undefined;
  switch (parsed.data.type) {
    case 'connection.get':
      // A person who opens the panel wants it to work now, not after the next pause.
      port.connect();
      respond(port.state());
      return undefined;
    case 'connection.retry':
      port.connect();
      return undefined;
    case 'context.capture':
      void pageContext.capture(parsed.data.kind, parsed.data.windowId).then(respond);
      // Chrome keeps the way open for an answer that comes later.
      return true;
    case 'context.cancel':
      pageContext.cancel(parsed.data.windowId);
      return undefined;
  }
});
chrome.runtime.onStartup.addListener(() => port.connect());
chrome.runtime.onInstalled.addListener(() => port.connect());
chrome.alarms.onAlarm.addListener(() => port.connect());
chrome.windows.onFocusChanged.addListener((windowId) => {
  port.connect();
  if (windowId !== chrome.windows.WINDOW_ID_NONE) sendFocus();
});

void chrome.alarms.create(RECONNECT_ALARM, { periodInMinutes: RECONNECT_MINUTES });
void chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });
port.connect();
