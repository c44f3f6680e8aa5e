/** Entry point of the options page: how the connection stands, what this profile is called, where to read on. */
import '#extension/shared/jitless.ts';
import { render, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as z from 'zod';
import { VERSION } from '#protocol/version.ts';
import { watchConnection } from '#extension/shared/connection.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import { createTexts, type Texts } from './texts.ts';

const Label = z.string().max(60);

const Options = ({ texts }: { texts: Texts }): JSX.Element => (
  <main>
    <h1>Pilotfish {VERSION}</h1>
    <Connection texts={texts} />
    <BrowserLabel texts={texts} />
    <section>
      <h2>{texts.more}</h2>
      <p>
        {texts.docs} <code>README.md</code>, <code>docs/</code>
      </p>
      <p>
        {texts.doctor} <code>pilotfish doctor</code>
      </p>
    </section>
  </main>
);

const Connection = ({ texts }: { texts: Texts }): JSX.Element => {
  const [state, setState] = useState<ConnectionState>({ state: 'starting' });
  const [retry, setRetry] = useState<(() => void) | null>(null);
  useEffect(() => {
    const watch = watchConnection(setState);
    setRetry(() => () => watch.retry());
    return () => watch.close();
  }, []);
  return (
    <section>
      <h2>{texts.connection}</h2>
      <div role="status">
        {state.state === 'connected' ? (
          <p>
            <span class="dot good" /> {texts.connected} Pilotfish {state.companionVersion}, 127.0.0.1:{state.port}
          </p>
        ) : state.state === 'starting' ? (
          <p>
            <span class="dot" /> {texts.starting}
          </p>
        ) : (
          <>
            <p>
              <span class="dot bad" /> {state.error.message}
            </p>
            <p>{state.error.remedy}</p>
            <p class="muted">{state.error.code}</p>
          </>
        )}
      </div>
      {state.state === 'connected' ? null : (
        <button type="button" onClick={() => retry?.()}>
          {texts.again}
        </button>
      )}
    </section>
  );
};

/** Agents and the terminal tell several profiles apart by this name. */
const BrowserLabel = ({ texts }: { texts: Texts }): JSX.Element => {
  const [label, setLabel] = useState('');
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    void chrome.storage.local.get('label').then((stored) => {
      const parsed = Label.safeParse(stored['label']);
      if (parsed.success) setLabel(parsed.data);
    });
  }, []);
  return (
    <section>
      <h2>{texts.label}</h2>
      <p>{texts.labelHint}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void chrome.storage.local.set({ label: label.trim() }).then(() => setSaved(true));
        }}
      >
        <input
          value={label}
          maxLength={60}
          aria-label={texts.label}
          onInput={(event) => {
            setLabel(event.currentTarget.value);
            setSaved(false);
          }}
        />
        <button type="submit">{texts.save}</button>
        <span class="muted" role="status">
          {isSaved ? texts.saved : ''}
        </span>
      </form>
    </section>
  );
};

const root = document.querySelector<HTMLElement>('#root');
if (root !== null) {
  const language = chrome.i18n.getUILanguage();
  document.documentElement.lang = language;
  render(<Options texts={createTexts(language)} />, root);
}
