/** A button for what only the person at this browser may do, with what it means beside it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Attempt } from './attempt.tsx';
import { Spinner } from './parts.tsx';

/** `question` is asked by the button itself after the first press, where the act is not taken back easily. */
export const TrustedAct = ({
  label,
  hint,
  question,
  work,
}: {
  label: string;
  hint: string;
  question?: string;
  work: () => Promise<void>;
}): JSX.Element => {
  const [isSure, setSure] = useState(false);
  const isAsked = question !== undefined && !isSure;
  return (
    <Attempt work={work}>
      {(run, isBusy) => (
        <div class="buttons">
          <button
            type="button"
            class={isSure ? 'small act danger' : 'small act'}
            disabled={isBusy}
            // A script's event is not trusted.
            onClick={(event) => {
              if (!event.isTrusted) return;
              setSure(isAsked);
              if (!isAsked) run();
            }}
            onBlur={() => setSure(false)}
          >
            {isBusy ? <Spinner /> : null}
            {isSure ? question : label}
          </button>
          {hint === '' ? null : <span class="muted small-text">{hint}</span>}
        </div>
      )}
    </Attempt>
  );
};
