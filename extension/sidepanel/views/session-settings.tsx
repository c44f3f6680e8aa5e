/** What is set for one session beside agent, model and mode: limits, instructions, tools that need no question. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { readAllowedTools, readMaxCost, readMaxTurns, readSystemPrompt } from '#display/settings-text.ts';
import { backgroundTasks } from '#protocol/view.ts';
import type { Selected } from '../selected.ts';
import type { Extras, PanelState } from '../state.ts';
import { Attempt } from './attempt.tsx';
import { Icon } from './icons.tsx';
import { Sheet, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

export const SessionSettingsSheet = ({ state, selected }: { state: PanelState; selected: Selected }): JSX.Element | null => {
  const { t, actions } = useScene();
  if (!state.isShowingExtras) return null;
  return (
    <Sheet title={t('session_settings')} onClose={() => actions.showExtras(false)}>
      <Form key={state.sessionId} selected={selected} onDone={() => actions.showExtras(false)} />
    </Sheet>
  );
};

/** Made anew for another session: what was typed for one is set for no other. */
const Form = ({ selected, onDone }: { selected: Selected; onDone: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  // As they were when the sheet was opened: what somebody else changes meanwhile stays.
  const [before] = useState(selected.extras);
  const [turns, setTurns] = useState(String(before.maxTurns ?? ''));
  const [cost, setCost] = useState(String(before.maxCostUsd ?? ''));
  const [prompt, setPrompt] = useState(before.systemPrompt ?? '');
  const [tools, setTools] = useState(before.allowedTools.join('\n'));
  const maxTurns = readMaxTurns(turns);
  const maxCostUsd = readMaxCost(cost);
  const allowed = readAllowedTools(tools);
  const spent = selected.view?.usage.costUsd;
  const isWrong = maxTurns === undefined || maxCostUsd === undefined || 'wrong' in allowed;
  const change = isWrong
    ? {}
    : changed(before, { maxTurns, maxCostUsd, systemPrompt: readSystemPrompt(prompt), allowedTools: allowed.tools });
  const isSame = Object.keys(change).length === 0;
  return (
    <Attempt
      work={async () => {
        await actions.changeExtras(change);
        onDone();
      }}
    >
      {(run, isBusy) => (
        <div class="setup-form">
          <Field label={t('max_turns')} hint={t('max_turns_hint')} problem={maxTurns === undefined ? t('max_turns_wrong') : null}>
            {(attributes) => (
              <input
                {...attributes}
                inputMode="numeric"
                value={turns}
                placeholder={t('no_limit')}
                onInput={(event) => setTurns(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field
            label={t('max_cost')}
            hint={`${t('max_cost_hint')}${spent === undefined ? '' : ` ${t('spent', { cost: spent.toFixed(2) })}`}`}
            problem={maxCostUsd === undefined ? t('max_cost_wrong') : null}
          >
            {(attributes) => (
              <input
                {...attributes}
                inputMode="decimal"
                value={cost}
                placeholder={t('no_limit')}
                onInput={(event) => setCost(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={t('system_prompt')} hint={t('system_prompt_hint')} problem={null}>
            {(attributes) => (
              <textarea {...attributes} rows={3} dir="auto" value={prompt} onInput={(event) => setPrompt(event.currentTarget.value)} />
            )}
          </Field>
          {selected.engine?.capabilities.hasAllowedTools === true ? (
            <Field
              label={t('allowed_tools')}
              hint={t('allowed_tools_hint')}
              problem={'wrong' in allowed ? t('allowed_tools_wrong', { tool: allowed.wrong }) : null}
            >
              {(attributes) => (
                <textarea
                  {...attributes}
                  rows={2}
                  value={tools}
                  placeholder="Read&#10;Bash(git status:*)"
                  onInput={(event) => setTools(event.currentTarget.value)}
                />
              )}
            </Field>
          ) : null}
          {selected.view !== null && backgroundTasks(selected.view).length > 0 ? (
            <p class="notice notice-warning">
              <Icon name="warning" />
              <span>{t('settings_end_tasks')}</span>
            </p>
          ) : null}
          <div class="buttons">
            <button
              type="button"
              class="primary"
              disabled={isBusy || isWrong || isSame}
              onClick={(event) => {
                // Tools that need no question are a wide consent: a person's click only (S32).
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

/** Only what is another value: some of it takes a new process. */
const changed = (before: Extras, now: Extras): Partial<Extras> => ({
  ...(now.maxTurns === before.maxTurns ? {} : { maxTurns: now.maxTurns }),
  ...(now.maxCostUsd === before.maxCostUsd ? {} : { maxCostUsd: now.maxCostUsd }),
  ...(now.systemPrompt === before.systemPrompt ? {} : { systemPrompt: now.systemPrompt }),
  ...(now.allowedTools.join('\n') === before.allowedTools.join('\n') ? {} : { allowedTools: now.allowedTools }),
});
