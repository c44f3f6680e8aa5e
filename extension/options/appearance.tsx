/** How the pages look, and which keys do what. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changeLook } from '#extension/shared/look.ts';
import { Choice } from './fields.tsx';
import { useSettings } from './scene.ts';
import type { SayKey } from './texts.ts';

export const Appearance = (): JSX.Element => {
  const { say, look } = useSettings();
  return (
    <div class="choices">
      <Choice
        label={say('theme')}
        value={look.theme}
        options={[
          ['system', say('asSystem')],
          ['light', say('light')],
          ['dark', say('dark')],
        ]}
        onChoose={(theme) => changeLook({ theme })}
      />
      <Choice
        label={say('density')}
        value={look.density}
        options={[
          ['normal', say('normal')],
          ['compact', say('compact')],
        ]}
        onChoose={(density) => changeLook({ density })}
      />
      <Choice
        label={say('textSize')}
        value={look.textSize}
        options={[
          ['small', say('small')],
          ['normal', say('normal')],
          ['large', say('large')],
          ['larger', say('larger')],
        ]}
        onChoose={(textSize) => changeLook({ textSize })}
      />
      <Choice
        label={say('language')}
        value={look.language}
        options={[
          ['system', say('asBrowser')],
          ['en', 'English'],
          ['zh', '中文'],
        ]}
        onChoose={(language) => changeLook({ language })}
      />
    </div>
  );
};

const keys: readonly (readonly [keys: string, meaning: SayKey])[] = [
  ['@  #  /  $', 'keyMention'],
  ['↑', 'keyHistory'],
  ['Esc', 'keyStop'],
  ['Ctrl+F', 'keyFind'],
  ['Ctrl+;', 'keyAgent'],
  ['Ctrl+/', 'keyModel'],
  ['Ctrl+,', 'keyEffort'],
  ['Ctrl+.', 'keyMode'],
];

export const Keyboard = (): JSX.Element => {
  const { say, look } = useSettings();
  const panelKey = usePanelKey();
  const all = panelKey === '' ? keys : [[panelKey, 'keyPanel'] as const, ...keys];
  return (
    <>
      <Choice
        label={say('enter')}
        value={look.enter}
        options={[
          ['send', say('enterSends')],
          ['lines', say('enterLines')],
          ['line', say('enterLine')],
        ]}
        onChoose={(enter) => changeLook({ enter })}
      />
      <dl class="keys">
        {all.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{say(meaning)}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        {say('openByKey')} <code>chrome://extensions/shortcuts</code>
      </p>
    </>
  );
};

/** The key that presses the extension's button, as the browser writes it; empty where there is none. */
const usePanelKey = (): string => {
  const [key, setKey] = useState('');
  useEffect(() => {
    const read = (): void =>
      void chrome.commands.getAll().then((all) => setKey(all.find(({ name }) => name === '_execute_action')?.shortcut ?? ''));
    read();
    // It is changed on a page of the browser.
    globalThis.addEventListener('focus', read);
    return () => globalThis.removeEventListener('focus', read);
  }, []);
  return key;
};
