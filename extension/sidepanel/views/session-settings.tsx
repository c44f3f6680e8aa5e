/** What is set for one session beside agent, model and mode: limits, instructions, tools that need no question. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { toCost } from '#display/amounts.ts';
import { settingNames, settings, settingsOf, type SettingName } from '#display/settings.ts';
import { backgroundTasks } from '#protocol/view.ts';
import type { Extras } from '../state.ts';
import { Attempt } from './attempt.tsx';
import { Icon } from './icons.tsx';
import { Sheet, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

export const SessionSettingsSheet = (): JSX.Element | null => {
  const { t, actions, state } = useScene();
  if (!state.isShowingExtras) return null;
  return (
    <Sheet title={t('session_settings')} onClose={() => actions.showExtras(false)}>
      <Form key={state.sessionId} onDone={() => actions.showExtras(false)} />
    </Sheet>
  );
};

/** Made anew for another session: what was typed for one is set for no other. */
const Form = ({ onDone }: { onDone: () => void }): JSX.Element => {
  const { t, actions, shown } = useScene();
  const { selected } = shown;
  // As they were when the sheet was opened: what somebody else changes meanwhile stays.
  const [before] = useState(selected.extras);
  const [texts, setTexts] = useState<Readonly<Partial<Record<SettingName, string>>>>({});
  const names = settingsOf(selected.engine?.capabilities);
  const change = toChange(before, texts);
  const hasTasks = selected.view !== null && backgroundTasks(selected.view).length > 0;
  return (
    <Attempt
      work={async () => {
        await actions.changeExtras(change ?? {});
        onDone();
      }}
    >
      {(run, isBusy) => (
        <div class="setup-form">
          {names.map((name) => (
            <SettingField
              key={name}
              name={name}
              text={texts[name] ?? settings[name].show(before)}
              spentUsd={selected.view?.usage.costUsd}
              onText={(text) => setTexts((others) => ({ ...others, [name]: text }))}
            />
          ))}
          {hasTasks ? (
            <p class="notice notice-warning">
              <Icon name="warning" />
              <span>{t('settings_end_tasks')}</span>
            </p>
          ) : null}
          <div class="buttons">
            <button
              type="button"
              class="primary"
              disabled={isBusy || change === null || Object.keys(change).length === 0}
              onClick={(event) => {
                // Tools that need no question are a wide consent: a person's click only.
                if (event.isTrusted) run();
              }}
            >
              {isBusy ? <Spinner /> : null}
              {t('save')}
            </button>
            <span class="muted small-text">{t('settings_when')}</span>
          </div>
        </div>
      )}
    </Attempt>
  );
};

/** Only what is another value, because some of it takes a new process; null while something is wrong. */
const toChange = (before: Extras, texts: Readonly<Partial<Record<SettingName, string>>>): Partial<Extras> | null => {
  let change: Partial<Extras> = {};
  for (const name of settingNames) {
    const text = texts[name];
    if (text === undefined) continue;
    const read = settings[name].read(text);
    if ('wrong' in read) return null;
    if (settings[name].show({ ...before, ...read.change }) !== settings[name].show(before)) change = { ...change, ...read.change };
  }
  return change;
};

/** One setting with its hint, or with what is wrong with it. */
const SettingField = ({
  name,
  text,
  spentUsd,
  onText,
}: {
  name: SettingName;
  text: string;
  spentUsd: number | undefined;
  onText: (text: string) => void;
}): JSX.Element => {
  const { t } = useScene();
  const { label, hint, empty, form, read } = settings[name];
  const result = read(text);
  const spent = name === 'maxCostUsd' && spentUsd !== undefined ? ` ${t('spent', { cost: toCost(spentUsd) })}` : '';
  return (
    <Field label={t(label)} hint={`${t(hint)}${spent}`} problem={'wrong' in result ? t(result.wrong, result.values) : null}>
      {(attributes) =>
        form === 'text' || form === 'lines' ? (
          <textarea
            {...attributes}
            rows={form === 'text' ? 3 : 2}
            dir="auto"
            value={text}
            placeholder={form === 'lines' ? 'Read\nBash(git status:*)' : undefined}
            onInput={(event) => onText(event.currentTarget.value)}
          />
        ) : (
          <input
            {...attributes}
            inputMode={form === 'count' ? 'numeric' : 'decimal'}
            value={text}
            placeholder={empty === null ? undefined : t(empty)}
            onInput={(event) => onText(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
};

interface FieldAttributes {
  readonly id: string;
  readonly class: string;
  readonly spellcheck: false;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

const Field = ({
  label,
  hint,
  problem,
  children,
}: {
  label: string;
  hint: string;
  problem: string | null;
  children: (attributes: FieldAttributes) => ComponentChildren;
}): JSX.Element => {
  const id = useId();
  return (
    <div class="setup-part">
      <label class="setup-name" for={id}>
        {label}
      </label>
      {children({ id, class: 'field', spellcheck: false, 'aria-invalid': problem !== null, 'aria-describedby': `${id}-note` })}
      {problem === null ? (
        <p class="muted small-text" id={`${id}-note`}>
          {hint}
        </p>
      ) : (
        <p class="field-error small-text" id={`${id}-note`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
};
