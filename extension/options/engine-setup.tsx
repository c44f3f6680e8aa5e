/** The agents: what each is, what it needs, and what can be set for it here. What starts a program is confirmed in a terminal. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { byStatus, labelText } from '#display/engines.ts';
import { warningLine } from '#display/said.ts';
import type { EngineSetup } from '#protocol/engine-setup.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { routes } from '#protocol/routes.ts';
import { warningsIn, warningText } from '#protocol/warnings.ts';
import type { PanelState } from '#extension/sidepanel/state.ts';
import { Attempt } from '#extension/sidepanel/views/attempt.tsx';
import { EngineLine, Missing } from '#extension/sidepanel/views/engine-list.tsx';
import { Icon } from '#extension/sidepanel/views/icons.tsx';
import { Sentence, Spinner } from '#extension/sidepanel/views/parts.tsx';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { EngineCommandForm } from './engine-form.tsx';
import { ProposalButton } from './engine-proposal.tsx';
import { Fault, useLoaded } from './fields.tsx';
import { OrderedList } from './ordered-list.tsx';
import { useSettings } from './scene.ts';

export const EngineSetups = ({ state }: { state: PanelState }): JSX.Element | null => {
  const { t } = useScene();
  const { say } = useSettings();
  const order = useOrder();
  if (state.engineSetups === null) return null;
  const { engines, warning, told } = state.engineSetups;
  const warnings = warningsIn({ warnings: warning?.split('\n') ?? [], told });
  // The newest state of those that are offered comes with the stream.
  const live = (setup: EngineSetup): EngineInfo => state.engines?.find(({ name }) => name === setup.engine.name) ?? setup.engine;
  const known = engines.map((setup) => ({ setup, engine: live(setup) }));
  // While the person has given no order, what works is on top, as where an agent is chosen.
  const sorted = order.isGiven ? byNames(known, order.names) : known.toSorted((one, other) => byStatus(one.engine, other.engine));
  return (
    <>
      {warnings.map((each) => (
        <p class="notice notice-warning" key={warningText(each)}>
          <Icon name="warning" />
          <span>
            <Sentence text={warningLine(each, t)} />
          </span>
        </p>
      ))}
      <OrderedList
        names={sorted.map(({ engine }) => engine.name)}
        labelOf={(name) => labelText(sorted.find(({ engine }) => engine.name === name)?.engine ?? { label: name }, t)}
        onOrder={order.save}
      >
        {sorted.map(({ setup, engine }) => (
          <Setup key={engine.name} setup={setup} engine={engine} isChecking={state.isCheckingEngines} />
        ))}
      </OrderedList>
      <Fault error={order.error} />
      <h3>{t('own_agent')}</h3>
      <p class="muted">{t('own_agent_how')}</p>
      <details>
        <summary>{say('engineAdd')}</summary>
        <EngineCommandForm />
      </details>
    </>
  );
};

/** The order that the person has given, which holds on every surface. */
const useOrder = () => {
  const { call } = useSettings();
  const preferences = useLoaded(() => call(routes.readPreferences, {}));
  // It is shown at once: who presses twice means the second press of what the first has made.
  const [moved, setMoved] = useState<readonly string[] | null>(null);
  const names = moved ?? preferences.value?.engineOrder ?? [];
  return {
    names,
    isGiven: names.length > 0,
    error: preferences.error,
    save: (engineOrder: readonly string[]) => {
      setMoved(engineOrder);
      void preferences.take(async () => {
        try {
          return await call(routes.changePreferences, { body: { engineOrder: [...engineOrder] } });
        } catch (error) {
          setMoved((newest) => (newest === engineOrder ? null : newest));
          throw error;
        }
      });
    },
  };
};

type Known = { readonly setup: EngineSetup; readonly engine: EngineInfo };

const byNames = (known: readonly Known[], names: readonly string[]): Known[] => {
  const placeOf = ({ engine }: Known): number => (names.includes(engine.name) ? names.indexOf(engine.name) : names.length);
  return known.toSorted((one, other) => placeOf(one) - placeOf(other));
};

const Setup = ({ setup, engine, isChecking }: { setup: EngineSetup; engine: EngineInfo; isChecking: boolean }): JSX.Element => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="list-item" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <EngineLine engine={engine} isDisabled={setup.isDisabled} />
        <Icon name="chevron" />
      </button>
      {isOpen ? <Details setup={setup} engine={engine} isChecking={isChecking} /> : null}
    </>
  );
};

const Details = ({ setup, engine, isChecking }: { setup: EngineSetup; engine: EngineInfo; isChecking: boolean }): JSX.Element => {
  const { t, actions } = useScene();
  const { say } = useSettings();
  const { name } = engine;
  return (
    <div class="setup">
      {engine.path === undefined ? null : (
        <p class="muted small-text">
          {engine.path}
          {engine.pathSource === undefined ? '' : ` (${engine.pathSource})`}
        </p>
      )}
      {setup.isDisabled || engine.error === undefined ? null : <Missing engine={engine} />}
      {setup.secrets.map((secret) => (
        <SecretField key={secret.name} engineName={name} secret={secret} />
      ))}
      {setup.hasEndpoint ? <EndpointField engineName={name} endpoint={setup.settings.endpoint} /> : null}
      <Attempt work={() => actions.engines.changeEngine(name, { isDisabled: !setup.isDisabled })}>
        {(run, isBusy) => (
          <div class="buttons">
            <label class="check">
              {/* While it is saved it shows what was pressed. */}
              <input type="checkbox" checked={isBusy ? setup.isDisabled : !setup.isDisabled} disabled={isBusy} onChange={run} />
              {t('offer_agent')}
            </label>
            {setup.isDisabled ? null : (
              <button type="button" class="small" disabled={isChecking} onClick={() => void actions.refreshEngines(name)}>
                {isChecking ? <Spinner /> : null}
                {t(isChecking ? 'checking' : 'check_again')}
              </button>
            )}
          </div>
        )}
      </Attempt>
      {setup.hasEndpoint ? null : (
        <>
          <p class="muted small-text">
            {t('set_in_terminal')}
            {[...setup.settings.args, ...setup.settings.envNames].length === 0 ? '' : ` ${t('set_now', { what: describe(setup) })}`}
          </p>
          <details>
            <summary>{say('engineChange')}</summary>
            <EngineCommandForm name={name} />
          </details>
          {engine.isCustom ? (
            <ProposalButton
              name={name}
              change={{ type: 'remove' }}
              commands={[`pilotfish engine remove ${name}`]}
              label={say('engineRemove')}
            />
          ) : null}
        </>
      )}
    </div>
  );
};

const describe = ({ settings }: EngineSetup): string => [...settings.envNames, ...settings.args].join(' ');

const SecretField = ({ engineName, secret }: { engineName: string; secret: EngineSetup['secrets'][number] }): JSX.Element => {
  const { t, actions } = useScene();
  const [value, setValue] = useState('');
  const trimmed = value.trim();
  const note = secret.place === 'keychain' ? 'in_keychain' : 'in_file';
  return (
    <Attempt
      work={async () => {
        await actions.engines.storeSecret(engineName, secret.name, trimmed === '' ? null : trimmed);
        setValue('');
      }}
    >
      {(run, isBusy) => (
        <>
          <p class="setup-name">
            <code>{secret.name}</code>
            {secret.isSet ? <span class={note === 'in_file' ? 'setup-warning' : 'muted'}> {t(note)}</span> : null}
          </p>
          <div class="field-row">
            <input
              class="field"
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={value}
              placeholder={t(secret.isSet ? 'replace_key' : 'enter_key')}
              aria-label={secret.name}
              onInput={(event) => setValue(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && trimmed !== '' && !event.isComposing) run();
              }}
            />
            {trimmed === '' && secret.isSet ? (
              <button type="button" disabled={isBusy} onClick={run}>
                {t('remove_key')}
              </button>
            ) : (
              <button type="button" disabled={isBusy || trimmed === ''} onClick={run}>
                {isBusy ? <Spinner /> : null}
                {t('save')}
              </button>
            )}
          </div>
        </>
      )}
    </Attempt>
  );
};

const EndpointField = ({ engineName, endpoint }: { engineName: string; endpoint: string | undefined }): JSX.Element => {
  const { t, actions } = useScene();
  const [value, setValue] = useState(endpoint ?? '');
  const trimmed = value.trim();
  return (
    <Attempt work={() => actions.engines.changeEngine(engineName, { endpoint: trimmed === '' ? null : trimmed })}>
      {(run, isBusy) => (
        <>
          <p class="setup-name">{t('endpoint')}</p>
          <div class="field-row">
            <input
              class="field"
              type="url"
              spellcheck={false}
              value={value}
              placeholder="http://127.0.0.1:11434"
              aria-label={t('endpoint')}
              onInput={(event) => setValue(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && !event.isComposing) run();
              }}
            />
            <button type="button" disabled={isBusy || trimmed === (endpoint ?? '')} onClick={run}>
              {isBusy ? <Spinner /> : null}
              {t('save')}
            </button>
          </div>
          <p class="muted small-text">{t('endpoint_hint')}</p>
        </>
      )}
    </Attempt>
  );
};
