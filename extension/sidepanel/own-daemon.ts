/**
 * The panel speaks to the one daemon it is connected to. The manifest must allow every place to which a browser may be paired; a policy of
 * the page allows less. https://developer.mozilla.org/en-US/docs/Web/HTML/Reference/Elements/meta/http-equiv
 */
import type { ConnectionState } from '#extension/shared/messages.ts';

let policy: string | null = null;

/** A policy cannot be taken back, so the panel begins anew where the daemon is another one. */
export const keepToDaemon = (state: ConnectionState): void => {
  if (state.state !== 'connected' && state.state !== 'newcomer') return;
  const wanted = `connect-src http://127.0.0.1:* ws://127.0.0.1:* ${state.base ?? ''}`.trim();
  if (policy === wanted) return;
  if (policy !== null) return location.reload();
  policy = wanted;
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = wanted;
  document.head.append(meta);
};
