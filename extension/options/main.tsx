/** Entry point of the page of the settings. It follows the daemon as the side panel does, and keeps nothing of its own. */
import '#extension/shared/jitless.ts';
import { render } from 'preact';
import { createPageCapture } from '#extension/shared/capture.ts';
import { ConnectionWatch } from '#extension/shared/connection.ts';
import { applyLook, languageOf, watchLook } from '#extension/shared/look.ts';
import { bytesOf, callerOf } from '#extension/shared/wire.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';
import { keepFocus } from '#extension/sidepanel/kept-focus.ts';
import { Panel } from '#extension/sidepanel/panel.ts';
import type { Storage } from '#extension/sidepanel/storage.ts';
import { OptionsPage } from './page.tsx';
import { createSay } from './texts.ts';

/** Drafts and what was looked at belong to the panel. */
const nothingKept: Storage = { load: async () => null, save: () => {}, remove: () => {}, change: () => {}, hear: () => {} };

const start = async (root: HTMLElement): Promise<void> => {
  const panel = await Panel.open({
    watch: (onState) => new ConnectionWatch(onState),
    page: createPageCapture(),
    local: nothingKept,
    // No card stands here that would ask for any.
    rights: async () => false,
    nextFrame: (run) => void requestAnimationFrame(run),
  });
  addEventListener('pagehide', () => panel.close());
  keepFocus(document);
  const endpoint = () => {
    const { connection } = panel.store.state;
    return connection.state === 'connected' ? connection : null;
  };
  const wire = { call: callerOf(endpoint), readBytes: bytesOf(endpoint) };
  watchLook((look) => {
    const language = languageOf(look, chrome.i18n.getUILanguage());
    document.documentElement.lang = language;
    applyLook(look, document.documentElement);
    render(<OptionsPage panel={panel} {...wire} look={look} t={createTranslate(language)} say={createSay(language)} />, root);
  });
};

const root = document.querySelector<HTMLElement>('#root');
if (root !== null) void start(root);
