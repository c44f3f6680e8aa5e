/** How the connection stands, and what agents may do in this browser. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as z from 'zod';
import { BrowserId } from '#protocol/ids.ts';
import type { Preferences } from '#protocol/preferences.ts';
import { routes } from '#protocol/routes.ts';
import { SiteRule } from '#protocol/sites.ts';
import { changeLook } from '#extension/shared/look.ts';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { ConnectionHelp } from './connection-help.tsx';
import { Check, Choice, Fault, useLoaded, type Loaded } from './fields.tsx';
import { Remote } from './remote.tsx';
import { useSettings } from './scene.ts';

export const Connection = (): JSX.Element => {
  const { t, state, shown } = useScene();
  const { say } = useSettings();
  const { status } = shown;
  const { connection } = state;
  return (
    <>
      <p role="status">
        <span class={`dot status-${status.kind}`} /> {t(status.kind)}
        {connection.state === 'connected'
          ? ` · Pilotfish ${connection.companionVersion}, ${connection.base ?? `127.0.0.1:${connection.port}`}`
          : ''}
      </p>
      {status.kind === 'newcomer' ? <p>{say('newcomerHow')}</p> : null}
      {connection.state === 'connected' || status.kind === 'newcomer' ? null : <ConnectionHelp status={status} />}
      <Remote />
    </>
  );
};

export const BrowserPart = (): JSX.Element => {
  const { call, say, look } = useSettings();
  const preferences = useLoaded(() => call(routes.readPreferences, {}));
  return (
    <>
      <BrowserLabel />
      <UsualBrowser preferences={preferences} />
      <Sites />
      <h3>{say('tabs')}</h3>
      {preferences.value === null ? null : (
        <Check
          label={say('closeTabs')}
          isOn={preferences.value.closeTabs}
          onChange={(closeTabs) => preferences.take(() => call(routes.changePreferences, { body: { closeTabs } }))}
        />
      )}
      <Fault error={preferences.error} />
      <Check label={say('acting')} isOn={look.acting} onChange={(acting) => changeLook({ acting })} />
    </>
  );
};

const LAST_USED = '';

/** Which of several profiles a session begins in. */
const UsualBrowser = ({ preferences: { value, take } }: { preferences: Loaded<Preferences> }): JSX.Element | null => {
  const { call, say } = useSettings();
  const status = useLoaded(() => call(routes.status, {}));
  const own = useLoaded(async () => BrowserId.safeParse((await chrome.storage.local.get('browserId'))['browserId']).data ?? null);
  if (value === null || status.value === null) return <Fault error={status.error} />;
  const { defaultBrowser } = value;
  const connected = status.value.browsers.map(({ browserId, name, label }) => {
    const title = label.startsWith(name) ? label : say('aside', { text: label, aside: name });
    return [browserId, browserId === own.value ? `${title}, ${say('thisBrowser')}` : title] as const;
  });
  const isClosed = defaultBrowser !== null && !connected.some(([browserId]) => browserId === defaultBrowser);
  return (
    <>
      <h3>{say('usualBrowser')}</h3>
      <p class="muted">{say('usualBrowserHow')}</p>
      <Choice<BrowserId | typeof LAST_USED>
        label={say('usualBrowser')}
        value={defaultBrowser ?? LAST_USED}
        options={[
          [LAST_USED, say('lastUsed')],
          ...connected,
          ...(isClosed ? [[defaultBrowser, `…${defaultBrowser.slice(-4)}, ${say('closedBrowser')}`] as const] : []),
        ]}
        onChoose={(chosen) =>
          take(() => call(routes.changePreferences, { body: { defaultBrowser: chosen === LAST_USED ? null : chosen } }))
        }
      />
    </>
  );
};

const Label = z.string().max(60);

/** Agents and the terminal tell several profiles apart by this name. */
const BrowserLabel = (): JSX.Element => {
  const { say } = useSettings();
  const [label, setLabel] = useState('');
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    void chrome.storage.local.get('label').then((stored) => {
      const parsed = Label.safeParse(stored['label']);
      if (parsed.success) setLabel(parsed.data);
    });
  }, []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void chrome.storage.local.set({ label: label.trim() }).then(() => setSaved(true));
      }}
    >
      <h3>{say('label')}</h3>
      <p class="muted">{say('labelHint')}</p>
      <div class="field-row">
        <input
          class="field"
          value={label}
          maxLength={60}
          aria-label={say('label')}
          onInput={(event) => {
            setLabel(event.currentTarget.value);
            setSaved(false);
          }}
        />
        <button type="submit">{say('save')}</button>
      </div>
      <p class="muted" role="status">
        {isSaved ? say('saved') : ''}
      </p>
    </form>
  );
};

/** The rules of the person for whole sites. */
const Sites = (): JSX.Element => {
  const { call, say } = useSettings();
  const sites = useLoaded(async () => (await call(routes.listSites, {})).sites);
  const [site, setSite] = useState('');
  const [rule, setRule] = useState<SiteRule>('never');
  const set = (name: string, next: SiteRule): Promise<void> =>
    sites.take(async () => (await call(routes.setSite, { body: { site: name, rule: next } })).sites);
  const rules = SiteRule.options.map((option) => [option, say(`rule_${option}`)] as const);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (site.trim() === '') return;
        void set(site.trim(), rule);
        setSite('');
      }}
    >
      <h3>{say('sites')}</h3>
      <p class="muted">{say('sitesHow')}</p>
      <ul class="list plain">
        {sites.value?.map((ruled) => (
          <li key={ruled.site} class="row">
            <Choice label={ruled.site} value={ruled.rule} options={rules} onChoose={(next) => set(ruled.site, next)} />
            <button
              type="button"
              aria-label={say('labelled', { label: say('remove'), text: ruled.site })}
              onClick={() => sites.take(async () => (await call(routes.removeSite, { params: { site: ruled.site } })).sites)}
            >
              {say('remove')}
            </button>
          </li>
        ))}
      </ul>
      <div class="field-row">
        <input
          class="field"
          value={site}
          placeholder="bank.example"
          aria-label={say('site')}
          spellcheck={false}
          onInput={(event) => setSite(event.currentTarget.value)}
        />
        <Choice label={say('rule')} value={rule} options={rules} onChoose={setRule} />
        <button type="submit" disabled={site.trim() === ''}>
          {say('add')}
        </button>
      </div>
      <Fault error={sites.error} />
    </form>
  );
};
