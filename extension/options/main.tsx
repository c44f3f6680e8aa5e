/** Entry point of the options page: how the connection stands, what this profile is called, where to read on. */
import '#extension/shared/jitless.ts';
import { render, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as z from 'zod';
import { type ErrorBody, toErrorBody } from '#protocol/errors.ts';
import type { Preferences } from '#protocol/preferences.ts';
import { routes } from '#protocol/routes.ts';
import { VERSION } from '#protocol/version.ts';
import { ConnectionWatch } from '#extension/shared/connection.ts';
import { callerOf, type Call } from '#extension/shared/wire.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import { createTranslate, type Translate } from './texts.ts';

const Label = z.string().max(60);

const Options = ({ t }: { t: Translate }): JSX.Element => (
  <main>
    <h1>Pilotfish {VERSION}</h1>
    <Connection t={t} />
    <BrowserLabel t={t} />
    <Settings t={t} />
    <section>
      <h2>{t('more')}</h2>
      <p>
        {t('docs')} <code>README.md</code>, <code>docs/</code>
      </p>
      <p>
        {t('doctor')} <code>pilotfish doctor</code>
      </p>
    </section>
  </main>
);

const Connection = ({ t }: { t: Translate }): JSX.Element => {
  const [state, setState] = useState<ConnectionState>({ state: 'starting' });
  const [retry, setRetry] = useState<(() => void) | null>(null);
  useEffect(() => {
    const watch = new ConnectionWatch(setState);
    setRetry(() => () => watch.retry());
    return () => watch.close();
  }, []);
  return (
    <section>
      <h2>{t('connection')}</h2>
      <div role="status">
        {state.state === 'connected' ? (
          <p>
            <span class="dot good" /> {t('connected')} Pilotfish {state.companionVersion}, 127.0.0.1:{state.port}
          </p>
        ) : state.state === 'starting' ? (
          <p>
            <span class="dot" /> {t('starting')}
          </p>
        ) : state.state === 'newcomer' ? (
          <p>
            <span class="dot" /> {t('newcomer')}
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
          {t('again')}
        </button>
      )}
    </section>
  );
};

/** Agents and the terminal tell several profiles apart by this name. */
const BrowserLabel = ({ t }: { t: Translate }): JSX.Element => {
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
      <h2>{t('label')}</h2>
      <p>{t('labelHint')}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void chrome.storage.local.set({ label: label.trim() }).then(() => setSaved(true));
        }}
      >
        <input
          value={label}
          maxLength={60}
          aria-label={t('label')}
          onInput={(event) => {
            setLabel(event.currentTarget.value);
            setSaved(false);
          }}
        />
        <button type="submit">{t('save')}</button>
        <span class="muted" role="status">
          {isSaved ? t('saved') : ''}
        </span>
      </form>
    </section>
  );
};

/** What holds for all sessions. It is kept by the daemon, so it shows when the page is connected. */
const Settings = ({ t }: { t: Translate }): JSX.Element | null => {
  const [call, setCall] = useState<Call | null>(null);
  const [settings, setSettings] = useState<Preferences | null>(null);
  const [error, setError] = useState<ErrorBody | null>(null);
  const take = async (answer: Promise<Preferences>): Promise<void> => {
    try {
      setSettings(await answer);
      setError(null);
    } catch (fault) {
      setError(toErrorBody(fault));
    }
  };
  useEffect(() => {
    const watch = new ConnectionWatch((state) => {
      if (state.state !== 'connected') return setCall(null);
      const connected = callerOf(() => state);
      setCall(() => connected);
      void take(connected(routes.readPreferences, {}));
    });
    return () => watch.close();
  }, []);
  if (call === null) return null;
  return (
    <section>
      <h2>{t('tabs')}</h2>
      {settings === null ? null : (
        <label>
          <input
            type="checkbox"
            checked={settings.closeTabs}
            onChange={(event) => void take(call(routes.changePreferences, { body: { closeTabs: event.currentTarget.checked } }))}
          />{' '}
          {t('closeTabs')}
        </label>
      )}
      {error === null ? null : (
        <p role="alert">
          {error.message} {error.remedy}
        </p>
      )}
    </section>
  );
};

const root = document.querySelector<HTMLElement>('#root');
if (root !== null) {
  const language = chrome.i18n.getUILanguage();
  document.documentElement.lang = language;
  render(<Options t={createTranslate(language)} />, root);
}
