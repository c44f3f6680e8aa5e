/** What carries frames to the companion: native messaging, or a WebSocket to a place that the person has paired. */
import { splitMessage } from '#protocol/chunk.ts';
import type { UpFrame } from '#protocol/link.ts';
import { readRemoteAddress } from '#protocol/remote.ts';
import { HOST_NAME, VERSION } from '#protocol/version.ts';
import { loadRemotePlace, openRemoteLink, type RemotePlace } from '#extension/shared/remote.ts';
import { loadBrowserKey } from '#extension/shared/remote-key.ts';

interface Place {
  readonly port: number;
  /** When it is not on this machine's own port. */
  readonly base?: string;
}

export interface Carrier {
  /** From now on it hands over what comes, and says once that it has ended. The first message is `host`. */
  begin(onMessage: (message: unknown) => void, onEnd: (text: string) => void): void;
  send(frame: UpFrame): void;
  close(): void;
  /** Where the HTTP wire of the companion is, which has told its own port. */
  place(port: number): Place;
}

/** The carrier that the person has chosen. */
export const openCarrier = async (): Promise<Carrier> => {
  const place = await loadRemotePlace();
  if (place === null) return new NativeCarrier();
  return new RemoteCarrier(place, await openRemoteLink(place, await loadBrowserKey()));
};

/** Chrome takes 64 MiB at once in this direction; a message below this length fits, whatever its characters are. */
const WHOLE_UNITS = 16_000_000;

/** Chrome starts the host, and an open port keeps this worker alive. */
class NativeCarrier implements Carrier {
  readonly #port = chrome.runtime.connectNative(HOST_NAME);
  #lastMessage = 0;

  begin(onMessage: (message: unknown) => void, onEnd: (text: string) => void): void {
    this.#port.onMessage.addListener(onMessage);
    this.#port.onDisconnect.addListener(() => onEnd(chrome.runtime.lastError?.message ?? ''));
  }

  send(frame: UpFrame): void {
    const json = JSON.stringify(frame);
    if (json.length <= WHOLE_UNITS) return this.#port.postMessage(frame);
    for (const part of splitMessage(json, String((this.#lastMessage += 1)))) this.#port.postMessage(JSON.parse(part));
  }

  close(): void {
    // Chrome tells only the other end of it.
    this.#port.disconnect();
  }

  place(port: number): Place {
    return { port };
  }
}

/**
 * A message within 30 s keeps this worker alive, and a network that was cut says nothing.
 * https://developer.chrome.com/docs/extensions/how-to/web-platform/websockets
 */
const PING_MS = 20_000;

/** A WebSocket on which both ends have proven their keys. */
class RemoteCarrier implements Carrier {
  readonly #place: RemotePlace;
  readonly #socket: WebSocket;
  #lastMessage = 0;
  #hasAnswered = true;

  constructor(place: RemotePlace, socket: WebSocket) {
    this.#place = place;
    this.#socket = socket;
  }

  begin(onMessage: (message: unknown) => void, onEnd: (text: string) => void): void {
    const timer = setInterval(() => {
      if (!this.#hasAnswered) return this.#socket.close();
      this.#hasAnswered = false;
      return this.send({ type: 'ping', at: Date.now() });
    }, PING_MS);
    const end = (): void => {
      clearInterval(timer);
      onEnd('');
    };
    this.#socket.addEventListener('close', end);
    this.#socket.addEventListener('message', ({ data }) => {
      this.#hasAnswered = true;
      onMessage(JSON.parse(String(data)));
    });
    // Here is no host, and the daemon has proven itself.
    onMessage({ type: 'host', version: VERSION, pid: 0 });
    // It may have closed while nobody listened.
    if (this.#socket.readyState > this.#socket.OPEN) end();
  }

  send(frame: UpFrame): void {
    for (const part of splitMessage(JSON.stringify(frame), String((this.#lastMessage += 1)))) this.#socket.send(part);
  }

  close(): void {
    this.#socket.close();
  }

  place(port: number): Place {
    const place = readRemoteAddress(this.#place.address);
    return place === null ? { port } : { port: place.port, base: place.base };
  }
}
