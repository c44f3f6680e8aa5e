/** Entry point of the side panel. */
import '#extension/shared/jitless.ts';
import { render } from 'preact';
import { applyLook, languageOf, watchLook } from '#extension/shared/look.ts';
import { createPageCapture } from '#extension/shared/capture.ts';
import { ConnectionWatch } from '#extension/shared/connection.ts';
import { createTranslate } from './i18n.ts';
import { keepFocus } from './kept-focus.ts';
import { keepToDaemon } from './own-daemon.ts';
import { Panel } from './panel.ts';
import { createStorage } from './storage.ts';
import { App } from './views/app.tsx';

/** Frames stop while the panel is hidden; the conversation must not. */
const HIDDEN_FRAME_MS = 200;

const nextFrame = (run: () => void): void => {
  if (document.hidden) setTimeout(run, HIDDEN_FRAME_MS);
  else requestAnimationFrame(run);
};

const start = async (root: HTMLElement): Promise<void> => {
  const panel = await Panel.open({
    watch: (onState) =>
      new ConnectionWatch((state) => {
        keepToDaemon(state);
        onState(state);
      }),
    page: createPageCapture(),
    local: createStorage(),
    nextFrame,
    rights: (permissions) => chrome.permissions.request({ permissions: [...permissions] }),
  });
  addEventListener('pagehide', () => panel.close());
  keepFocus(document);
  watchLook((look) => {
    const language = languageOf(look, chrome.i18n.getUILanguage());
    document.documentElement.lang = language;
    applyLook(look, document.documentElement);
    render(<App panel={panel} t={createTranslate(language)} look={look} />, root);
  });
};

const root = document.querySelector<HTMLElement>('#root');
if (root !== null) void start(root);
