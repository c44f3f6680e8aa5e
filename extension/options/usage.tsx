/** What was used, and what one day may cost. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toCost, toCount } from '#display/amounts.ts';
import { routes } from '#protocol/routes.ts';
import type { UsageBy, UsageRow } from '#protocol/usage.ts';
import { Choice, Fault, useLoaded } from './fields.tsx';
import { useSettings } from './scene.ts';

const LINES = 14;
type By = Exclude<UsageBy, 'turn'>;

export const UsagePart = (): JSX.Element => {
  const { call, say } = useSettings();
  const [by, setBy] = useState<By>('day');
  const report = useLoaded(() => call(routes.readUsage, { query: { by, limit: LINES } }));
  const { rows = [], today } = report.value ?? {};
  return (
    <>
      {today === undefined ? null : (
        <p>
          {say('labelled', {
            label: say('today'),
            text: `${toCost(today.costUsd)} · ${say('tokensUsed', { count: toCount(today.totalTokens) })}`,
          })}
        </p>
      )}
      <Budget />
      <Choice
        label={say('usageBy')}
        value={by}
        options={[
          ['day', say('byDay')],
          ['project', say('byProject')],
          ['session', say('bySession')],
          ['engine', say('byAgent')],
        ]}
        onChoose={(next) => {
          setBy(next);
          void report.take(() => call(routes.readUsage, { query: { by: next, limit: LINES } }));
        }}
      />
      {rows.length === 0 ? (
        <p class="muted">{say('noUsage')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{say('what')}</th>
              <th scope="col">{say('cost')}</th>
              <th scope="col">{say('tokens')}</th>
              <th scope="col">{say('turns')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <td>{nameOf(row) || say('unnamed')}</td>
                <td>{row.costUsd === null ? '–' : toCost(row.costUsd)}</td>
                <td>{toCount(row.totalTokens)}</td>
                <td>{row.turns}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Fault error={report.error} />
    </>
  );
};

const nameOf = ({ day, projectName, sessionName, engineName }: UsageRow): string => day ?? sessionName ?? projectName ?? engineName ?? '';

/** What all sessions together may use in one day; empty is no limit. */
const Budget = (): JSX.Element | null => {
  const { call, say } = useSettings();
  const preferences = useLoaded(() => call(routes.readPreferences, {}));
  const [typed, setTyped] = useState<{ readonly costUsd?: string; readonly tokens?: string }>({});
  if (preferences.value === null) return <Fault error={preferences.error} />;
  const { dailyCostUsd, dailyTokens } = preferences.value;
  const costUsd = typed.costUsd ?? String(dailyCostUsd ?? '');
  const tokens = typed.tokens ?? String(dailyTokens ?? '');
  const isWrong = [costUsd, tokens].some((text) => text.trim() !== '' && !(Number(text) > 0));
  return (
    <form
      class="choices"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWrong) return;
        const body = { dailyCostUsd: toLimit(costUsd), dailyTokens: toLimit(tokens) };
        void preferences.take(() => call(routes.changePreferences, { body }));
        setTyped({});
      }}
    >
      <Amount label={say('dailyCost')} inputMode="decimal" value={costUsd} onType={(text) => setTyped({ ...typed, costUsd: text })} />
      <Amount label={say('dailyTokens')} inputMode="numeric" value={tokens} onType={(text) => setTyped({ ...typed, tokens: text })} />
      <button type="submit" disabled={isWrong || Object.keys(typed).length === 0}>
        {say('save')}
      </button>
      {isWrong ? (
        <p class="field-error" role="alert">
          {say('amountWrong')}
        </p>
      ) : null}
      <Fault error={preferences.error} />
    </form>
  );
};

interface AmountProps {
  readonly label: string;
  readonly inputMode: 'decimal' | 'numeric';
  readonly value: string;
  readonly onType: (text: string) => void;
}

const Amount = ({ label, inputMode, value, onType }: AmountProps): JSX.Element => {
  const { say } = useSettings();
  return (
    <label class="pick">
      {label}
      <input
        class="field"
        inputMode={inputMode}
        value={value}
        placeholder={say('noLimit')}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </label>
  );
};

const toLimit = (text: string): number | null => (text.trim() === '' ? null : Number(text));
