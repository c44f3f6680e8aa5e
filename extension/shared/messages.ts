/**
 * The messages between the extension's own pages and its worker: one union in each direction. Both ends parse them, and other
 * senders are ignored.
 */
import * as z from 'zod';
import { Admission } from '#protocol/admission.ts';
import { ErrorBody } from '#protocol/errors.ts';
import { Preparing } from '#protocol/health.ts';
import { SessionId } from '#protocol/ids.ts';
import { PagePicture, PickedFrame } from '#protocol/link.ts';

/** The state of the worker's connection to the companion; it is also kept in `chrome.storage.session` under CONNECTION_KEY. */
export const ConnectionState = z.discriminatedUnion('state', [
  /** With what the companion does first, where it says so. */
  z.object({ state: z.literal('starting'), preparing: Preparing.optional() }),
  z.object({
    state: z.literal('connected'),
    port: z.number().int(),
    /** Where its HTTP wire is, when that is elsewhere. */
    base: z.string().optional(),
    token: z.string(),
    companionVersion: z.string(),
    advice: z.string().optional(),
  }),
  /** The companion has ended because nothing needed it; it is back as soon as a page of the extension is open. */
  z.object({ state: z.literal('resting') }),
  /** The person has not let this browser in; the token is good for doing that. */
  z.object({ state: z.literal('newcomer'), port: z.number().int(), base: z.string().optional(), token: z.string(), admission: Admission }),
  z.object({
    state: z.enum(['host_missing', 'host_forbidden', 'host_crashed', 'refused', 'reconnecting']),
    error: ErrorBody,
    attempt: z.number().int(),
  }),
]);
export type ConnectionState = z.infer<typeof ConnectionState>;

/** Key of the connection state in `chrome.storage.session`. */
export const CONNECTION_KEY = 'connection';

/** The parts of the page in front of the user that can be attached to a prompt. */
export const CaptureKind = z.enum(['selection', 'screenshot', 'region', 'element', 'page', 'console', 'network']);
export type CaptureKind = z.infer<typeof CaptureKind>;

const source = { url: z.string(), title: z.string() };

/** An element that was picked in a page, or in a frame of it. */
export const PickedPlace = z.object({
  tabId: z.int().nonnegative(),
  url: z.string(),
  documentId: z.string(),
  frame: PickedFrame.optional(),
  ref: z.int(),
  selector: z.string(),
  role: z.string(),
  name: z.string(),
});
export type PickedPlace = z.infer<typeof PickedPlace>;

/** How a picked element looks; null when it is not there any more. */
export const KeptPicked = z.object({ looks: z.string(), picture: PagePicture.nullable() }).nullable();
export type KeptPicked = z.infer<typeof KeptPicked>;

/** The result of a capture. */
export const CaptureAnswer = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('text'),
    ...source,
    text: z.string(),
    /** The user wants to point at another element. */
    hasNext: z.boolean().optional(),
    picked: PickedPlace.optional(),
  }),
  z.object({ state: z.literal('picture'), ...source, mimeType: z.string(), dataBase64: z.string() }),
  /** Nothing is selected, or the user has stopped pointing. */
  z.object({ state: z.literal('nothing') }),
  z.object({ state: z.literal('refused'), error: ErrorBody }),
]);
export type CaptureAnswer = z.infer<typeof CaptureAnswer>;

/** Whose the tab in front of the user is, for one session; null where no session works, as on pages of the browser itself. */
export const TabAnswer = z.object({ owner: z.enum(['session', 'person', 'other']).nullable() });
export type TabAnswer = z.infer<typeof TabAnswer>;

/** What Chrome's debugger is in a tab for. */
export const DebugReason = z.enum(['seen', 'input', 'picture', 'code', 'records', 'pretence']);
export type DebugReason = z.infer<typeof DebugReason>;

/** The tabs in which a session works, as they are after what was asked for. */
export const SessionTabs = z.object({
  tabs: z.array(
    z.object({
      tabId: z.number(),
      title: z.string(),
      url: z.string(),
      /** Whether it is in front in its window. */
      isShown: z.boolean(),
      /** Empty where it is not there. */
      debuggedFor: z.array(DebugReason),
    }),
  ),
});
export type SessionTabs = z.infer<typeof SessionTabs>;

const shownTab = { sessionId: SessionId, windowId: z.int().nonnegative() };

/** Page → worker. `connection.get` is answered with a ConnectionState, `context.capture` with a CaptureAnswer, `context.keep` with KeptPicked, `tab.…` with a TabAnswer, `session.tabs` with SessionTabs. */
export const PageMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connection.get') }),
  z.object({ type: z.literal('connection.retry') }),
  /** Captures from the tab that is shown in the window, or from the one that is named. */
  z.object({
    type: z.literal('context.capture'),
    kind: CaptureKind,
    windowId: z.int().nonnegative(),
    tabId: z.int().nonnegative().optional(),
  }),
  /** Looks at what was picked, before a prompt about it is sent. */
  z.object({ type: z.literal('context.keep'), picked: PickedPlace }),
  /** Ends a capture that waits for the user to point at something. */
  z.object({ type: z.literal('context.cancel'), windowId: z.int().nonnegative() }),
  /** About the tab that is shown in the window: whose it is, handing it to a session, and taking it back. */
  z.object({ type: z.literal('tab.look'), ...shownTab }),
  z.object({ type: z.literal('tab.hand'), ...shownTab }),
  z.object({ type: z.literal('tab.release'), ...shownTab }),
  /** The tabs of a session; with an act, the one that is named is brought to the front or closed. */
  z.object({
    type: z.literal('session.tabs'),
    sessionId: SessionId,
    act: z.object({ type: z.enum(['show', 'close']), tabId: z.int().nonnegative() }).optional(),
  }),
]);
export type PageMessage = z.infer<typeof PageMessage>;

/** Our script in a foreign page → worker: what secret fields of a document held that goes. It is not answered. */
export const FrameMessage = z.object({ type: z.literal('secrets.held'), secrets: z.array(z.string()).max(100) });
export type FrameMessage = z.infer<typeof FrameMessage>;

/** Worker → every open page. */
export const WorkerMessage = z.discriminatedUnion('type', [z.object({ type: z.literal('connection.changed'), state: ConnectionState })]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;

/** Worker → keeper, which answers with a text. */
export const KeeperMessage = z.discriminatedUnion('type', [
  z.object({ to: z.literal('keeper'), type: z.literal('clipboard.read') }),
  z.object({ to: z.literal('keeper'), type: z.literal('clipboard.write'), text: z.string() }),
  /** The answer is an address under which the bytes are until `blob.done`. */
  z.object({ to: z.literal('keeper'), type: z.literal('blob'), mimeType: z.string(), dataBase64: z.string() }),
  z.object({ to: z.literal('keeper'), type: z.literal('blob.done'), url: z.string() }),
]);
export type KeeperMessage = z.infer<typeof KeeperMessage>;
