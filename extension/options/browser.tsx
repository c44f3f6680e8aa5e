/** How the connection stands, and what agents may do in this browser. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as z from 'zod';
import { routes } from '#protocol/routes.ts';
import { SiteRule } from '#protocol/sites.ts';
import { saveLook } from '#extension/shared/look.ts';
import { statusOf } from '#extension/sidepanel/status.ts';
import { Help } from '#extension/sidepanel/views/connection.tsx';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { Check, Choice, Fault, useLoaded } from './fields.tsx';
import { Remote } from './remote.tsx';
import { useSettings } from './scene.ts';

export const Connection = (): JSX.Element => {
  const { t, actions } = useScene();
  const { state, say } = useSettings();
  const status = statusOf(state);
  const { connection } = state;
  return (
    <>
      <p role="status">
        <span class={`dot status-${status.kind}`} /> {t(status.kind)}
        {connection.state === 'connected'
          ? ` · Pilotfish ${connection.companionVersion}, ${connection.base ?? `127.0.0.1:${connection.port}`}`
          : ''}
      </p>
      {status.kind === 'newcomer' ? <p>{say('newcomerHow')}</p> : <Help status={status} />}
      {connection.state === 'connected' ? null : (
        <button type="button" onClick={() => actions.connectAgain()}>
          {t('try_again')}
        </button>
      )}
      <p class="muted">
        {say('doctor')} <code>pilotfish doctor</code>
      </p>
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
      <Sites />
      <h3>{say('tabs')}</h3>
      {preferences.value === null ? null : (
        <Check
          label={say('closeTabs')}
          isOn={preferences.value.closeTabs}
          onChange={(closeTabs) => preferences.take(call(routes.changePreferences, { body: { closeTabs } }))}
        />
      )}
      <Fault error={preferences.error} />
      <Check label={say('acting')} isOn={look.acting} onChange={(acting) => void saveLook({ ...look, acting })} />
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
  const set = (name: string, next: SiteRule): void =>
    sites.take(call(routes.setSite, { body: { site: name, rule: next } }).then((answer) => answer.sites));
  const rules = SiteRule.options.map((option) => [option, say(`rule_${option}`)] as const);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (site.trim() === '') return;
        set(site.trim(), rule);
        setSite('');
      }}
    >
      <h3>{say('sites')}</h3>
      <p class="muted">{say('sitesHow')}</p>
      <ul class="list">
        {sites.value?.map((ruled) => (
          <li key={ruled.site} class="row">
            <Choice label={ruled.site} value={ruled.rule} options={rules} onChoose={(next) => set(ruled.site, next)} />
            <button
              type="button"
              aria-label={`${say('remove')}: ${ruled.site}`}
              onClick={() => sites.take(call(routes.removeSite, { params: { site: ruled.site } }).then((answer) => answer.sites))}
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
