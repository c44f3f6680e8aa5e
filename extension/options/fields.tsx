/** The fields that several parts share. */
import type { JSX } from 'preact';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { useHeld } from '#extension/sidepanel/views/held.ts';
import { ErrorText } from '#extension/sidepanel/views/parts.tsx';
import { InTurn } from '#extension/shared/in-turn.ts';

/** One of a few, in a list that opens. `onChoose` may return what ends when it is saved. */
export const Choice = <T extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: T;
  options: readonly (readonly [value: T, label: string])[];
  onChoose: (value: T) => unknown;
}): JSX.Element => {
  const id = useId();
  const [shown, choose] = useHeld(value, onChoose);
  return (
    <div class="pick">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="field"
        value={shown}
        onChange={(event) => {
          const chosen = options.find(([name]) => name === event.currentTarget.value);
          if (chosen !== undefined) choose(chosen[0]);
        }}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

/** What is on or off. `onChange` may return what ends when it is saved. */
export const Check = ({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => unknown }): JSX.Element => {
  const [shown, choose] = useHeld(isOn, onChange);
  return (
    <label class="check">
      <input type="checkbox" checked={shown} onChange={(event) => choose(event.currentTarget.checked)} />
      {label}
    </label>
  );
};

export interface Loaded<T> {
  readonly value: T | null;
  readonly error: ErrorBody | null;
  /** Asks this once what was asked before has its answer, and shows what it gives, or why it failed; ends when that is shown. */
  readonly take: (ask: () => Promise<T>) => Promise<void>;
}

/** What the daemon gives once the part is on the page. */
export const useLoaded = <T,>(read: () => Promise<T>): Loaded<T> => {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<ErrorBody | null>(null);
  const turn = useMemo(() => new InTurn(), []);
  const take = (ask: () => Promise<T>): Promise<void> =>
    turn.ask(ask).then(
      (next) => {
        setValue(() => next);
        setError(null);
      },
      (fault: unknown) => setError(toErrorBody(fault)),
    );
  useEffect(() => void take(read), []);
  return { value, error, take };
};

export const Fault = ({ error }: { error: ErrorBody | null }): JSX.Element | null =>
  error === null ? null : (
    <div class="field-error" role="alert">
      <ErrorText error={error} />
    </div>
  );
