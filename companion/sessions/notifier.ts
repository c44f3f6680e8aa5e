/** Tells those who listen what a person should know who does not look, unless it is switched off. */
import { notificationOf, preferenceOf, settledKeyOf, type Notification } from '#protocol/notifications.ts';
import type { Preferences } from '#protocol/preferences.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { SessionView } from '#protocol/view.ts';

export type Notice =
  /** `isWatched`: somebody follows that very session now. */
  | { readonly type: 'notification'; readonly notification: Notification; readonly isWatched: boolean }
  | { readonly type: 'notification.over'; readonly key: string };

type Listener = (notice: Notice) => void;

export class Notifier {
  readonly #preferences: () => Preferences;
  readonly #listeners = new Set<Listener>();

  constructor(preferences: () => Preferences) {
    this.#preferences = preferences;
  }

  take(event: SessionEvent, view: SessionView, isWatched: boolean): void {
    if (this.#listeners.size === 0) return;
    const notification = notificationOf(event, view);
    if (notification !== null && this.#preferences()[preferenceOf[notification.kind]])
      this.#tell({ type: 'notification', notification, isWatched });
    const key = settledKeyOf(event);
    if (key !== null) this.#tell({ type: 'notification.over', key });
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(notice: Notice): void {
    for (const listener of this.#listeners) listener(notice);
  }
}
