/**
 * The service worker. It may be stopped at any line, so every listener is registered synchronously, and lasting state is kept
 * in the companion.
 */
import '#extension/shared/jitless.ts';
import type { UpFrame } from '#protocol/link.ts';
import type { OffLimits } from '#extension/shared/addresses.ts';
import {
  type CaptureAnswer,
  CONNECTION_KEY,
  type ConnectionState,
  FrameMessage,
  type KeptPicked,
  PageMessage,
  type SessionTabs,
  type TabAnswer,
  type WorkerMessage,
} from '#extension/shared/messages.ts';
import { REMOTE_PLACE_KEY } from '#extension/shared/remote.ts';
import { CallJournal } from './call-journal.ts';
import { Conversation } from './conversation.ts';
import { releaseLeftOverFrames } from './debugger.ts';
import { keepAwake } from './keeper.ts';
import { openCarrier } from './carriers.ts';
import { CompanionPort } from './companion-port.ts';
import { PageContext } from './page-context.ts';
import { removeLeftOverStyles } from './page-style.ts';
import { Profile } from './profile.ts';
import { SiteLimits } from './site-limits.ts';
import { TabHandover } from './tab-handover.ts';
import { TabEvents } from './tab-events.ts';
import { ToolContexts } from './tool-contexts.ts';
import { ToolRunner } from './tool-runner.ts';

/** When the worker and the keeper are both killed, the next alarm starts the worker again; this is the smallest period Chrome grants. */
const RECONNECT_ALARM = 'reconnect';
const RECONNECT_MINUTES = 0.5;

const TAB_ACTS = { 'tab.look': 'look', 'tab.hand': 'hand', 'tab.release': 'release' } as const;

const journal = new CallJournal();
const profile = new Profile();
let browserLabel = 'this browser';
void profile.load().then(({ label }) => {
  browserLabel = label;
});

const offLimits = (): OffLimits => {
  const state = port.state();
  return { ownPort: state.state === 'connected' ? state.port : lastPort, sites: siteLimits.rules };
};
/** Pages may not reach the daemon's port, also while the connection is being made again. */
let lastPort: number | null = null;
/** Whether the person's last turn was to this browser. */
let isInFront = false;
const siteLimits = new SiteLimits();

/** Does nothing while there is no connection. */
let send: (frame: UpFrame) => void = () => {};
const contexts = new ToolContexts({
  events: new TabEvents(),
  offLimits,
  browser: () => browserLabel,
  send: (frame) => send(frame),
  onStop: (sessionId) => {
    runner.stop(sessionId);
    send({ type: 'session_stop', sessionId });
  },
});
const runner = new ToolRunner(contexts, journal);
const pageContext = new PageContext(contexts, siteLimits.ready);
const handover = new TabHandover(contexts);

const port = new CompanionPort({
  open: openCarrier,
  converse: (sendTo) => {
    send = sendTo;
    return new Conversation(sendTo, {
      profile,
      journal,
      runner,
      contexts,
      onSites: (rules) => {
        void siteLimits.tell(rules);
        void contexts.endRefused();
        runner.endRefused();
      },
      onGrants: async (ids) => {
        await contexts.holdGrants(ids);
        runner.endRefused();
      },
    });
  },
  onState: (state) => {
    if (state.state === 'connected') {
      lastPort = state.port;
      // A daemon that has just come does not know which of several browsers was used last.
      if (isInFront) send({ type: 'focus' });
    }
    publish(state);
  },
});

const publish = (state: ConnectionState): void => {
  void chrome.storage.session.set({ [CONNECTION_KEY]: state });
  // Nobody listens while none of our pages is open.
  chrome.runtime.sendMessage({ type: 'connection.changed', state } satisfies WorkerMessage).catch(() => {});
};

/** Only our own pages may ask. A content script may not, because it runs inside foreign pages. */
const isOwnPage = (sender: chrome.runtime.MessageSender): boolean =>
  sender.id === chrome.runtime.id && sender.url?.startsWith(chrome.runtime.getURL('')) === true;

type Answer = ConnectionState | CaptureAnswer | KeptPicked | TabAnswer | SessionTabs;

chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: Answer) => void) => {
  const held = FrameMessage.safeParse(message);
  if (held.success && sender.id === chrome.runtime.id) contexts.hearSecrets(sender, held.data.secrets);
  const parsed = PageMessage.safeParse(message);
  if (!parsed.success || !isOwnPage(sender)) return undefined;
  switch (parsed.data.type) {
    case 'connection.get':
      // A person who opens the panel wants it to work now, not after the next pause.
      port.wake();
      respond(port.state());
      return undefined;
    case 'connection.retry':
      port.wake();
      return undefined;
    case 'context.capture':
      void pageContext.capture(parsed.data).then(respond);
      // Returning true lets Chrome wait for an answer that comes later.
      return true;
    case 'context.keep':
      void pageContext.keep(parsed.data.picked).then(respond);
      return true;
    case 'context.cancel':
      pageContext.cancel(parsed.data.windowId);
      return undefined;
    case 'tab.look':
    case 'tab.hand':
    case 'tab.release': {
      const { type, sessionId, windowId } = parsed.data;
      // The tab may close meanwhile.
      const acted = siteLimits.ready.then(() => handover.act(TAB_ACTS[type], sessionId, windowId));
      void acted.then(respond, () => respond({ owner: null }));
      return true;
    }
    case 'session.tabs': {
      const { sessionId, act } = parsed.data;
      void handover.tabsOf(sessionId, act).then(respond, () => respond({ tabs: [] }));
      return true;
    }
  }
});
chrome.storage.local.onChanged.addListener((changes) => {
  if (REMOTE_PLACE_KEY in changes) port.reopen();
});
chrome.runtime.onStartup.addListener(() => port.connect());
chrome.runtime.onInstalled.addListener(() => port.connect());
chrome.alarms.onAlarm.addListener(() => port.connect());
chrome.windows.onFocusChanged.addListener((windowId) => {
  port.connect();
  isInFront = windowId !== chrome.windows.WINDOW_ID_NONE;
  if (isInFront) send({ type: 'focus' });
});

void removeLeftOverStyles();
void releaseLeftOverFrames();
keepAwake(() => port.connect());
void chrome.alarms.create(RECONNECT_ALARM, { periodInMinutes: RECONNECT_MINUTES });
void chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });
port.connect();
