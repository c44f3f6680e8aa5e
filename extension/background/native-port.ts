/** The carrier to the companion: Chrome starts the host, an open port keeps this worker alive, and a lost one is dialled again for ever. */
import { createJoiner, splitMessage } from '#protocol/chunk.ts';
import { DownFrame, type UpFrame } from '#protocol/link.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import { HOST_NAME } from '#protocol/version.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import { pauseBefore, toState } from './link-state.ts';

/** Chrome takes 64 MiB at once in this direction; below this a message surely fits, whatever its characters. */
const WHOLE_UNITS = 16_000_000;

/** Frames of one connection; after its end nothing is sent and nothing arrives. */
export interface Conversation {
  receive(frame: DownFrame): void;
  closed(): void;
}

export interface NativePort {
  /** Dials unless it is connected or dialling. */
  connect(): void;
  state(): ConnectionState;
}

/** `converse` is called when the host has answered; it says hello. */
export const createNativePort = (options: {
  converse: (send: (frame: UpFrame) => void) => Conversation;
  onState: (state: ConnectionState) => void;
}): NativePort => {
  let port: chrome.runtime.Port | null = null;
  let state: ConnectionState = { state: 'starting' };
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const setState = (next: ConnectionState): void => {
    state = next;
    options.onState(next);
  };

  const dial = (): void => {
    clearTimeout(timer);
    const dialled = chrome.runtime.connectNative(HOST_NAME);
    port = dialled;
    const join = createJoiner();
    let conversation: Conversation | null = null;
    let error: ErrorBody | null = null;
    let isRefused = false;
    let lastMessage = 0;

    const send = (frame: UpFrame): void => {
      if (port !== dialled) return;
      const json = JSON.stringify(frame);
      if (json.length <= WHOLE_UNITS) return dialled.postMessage(frame);
      for (const part of splitMessage(json, String(++lastMessage))) dialled.postMessage(JSON.parse(part));
    };

    const welcome = ({ port: httpPort, token, companionVersion, advice }: Extract<DownFrame, { type: 'welcome' }>): void => {
      attempt = 0;
      setState({ state: 'connected', port: httpPort, token, companionVersion, ...(advice === undefined ? {} : { advice }) });
    };

    const receive = (frame: DownFrame): void => {
      if (frame.type === 'host') {
        conversation = options.converse(send);
      } else if (frame.type === 'host_failed' || frame.type === 'refused') {
        error = frame.error;
        isRefused = frame.type === 'refused';
      } else {
        if (frame.type === 'welcome') welcome(frame);
        conversation?.receive(frame);
      }
    };

    dialled.onMessage.addListener((message: unknown) => {
      const joined = join(message);
      if (joined.type !== 'message') return;
      const parsed = DownFrame.safeParse(joined.value);
      // A frame of a newer companion that we do not know; the protocol version says that we can live without it.
      if (parsed.success) receive(parsed.data);
    });

    dialled.onDisconnect.addListener(() => {
      const text = chrome.runtime.lastError?.message ?? '';
      port = null;
      attempt += 1;
      const hasSpoken = conversation !== null;
      conversation?.closed();
      setState(toState({ text, error, isRefused, hasSpoken }, attempt));
      timer = setTimeout(dial, pauseBefore(attempt, state));
    });
  };

  return {
    connect: () => {
      if (port === null) dial();
    },
    state: () => state,
  };
};
