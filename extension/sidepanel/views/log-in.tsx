/** Logs in an agent: a press opens a terminal window in which the agent's own login runs; where there is none, its command is there to copy. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { errorParts } from '#display/error-text.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { Sentence, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

export interface Login {
  readonly state: 'offered' | 'opening' | 'open' | 'done' | 'failed';
  readonly error: ErrorBody | null;
  readonly begin: () => void;
}

/** `done` once a look at the agent that came after the window was opened has found it logged in. */
export const useLogin = (name: string): Login => {
  const { actions } = useScene();
  const [state, setState] = useState<Login['state']>('offered');
  const [error, setError] = useState<ErrorBody | null>(null);
  const gone = useRef<AbortController | null>(null);
  useEffect(() => () => gone.current?.abort(), []);
  const begin = async (): Promise<void> => {
    gone.current?.abort();
    const { signal } = (gone.current = new AbortController());
    setState('opening');
    setError(null);
    try {
      const isIn = actions.engines.whenReady(name, signal);
      await actions.engines.logIn(name);
      if (signal.aborted) return;
      setState('open');
      if (await isIn) setState('done');
    } catch (thrown) {
      if (signal.aborted) return;
      gone.current.abort();
      setError(toErrorBody(thrown));
      setState('failed');
    }
  };
  return { state, error, begin: () => void begin() };
};

export const LogInButton = ({ login: { state, begin } }: { login: Login }): JSX.Element => {
  const { t } = useScene();
  const isOffered = state === 'offered' || state === 'opening';
  return (
    <button
      type="button"
      class={isOffered ? 'primary' : 'link'}
      disabled={state === 'opening'}
      aria-busy={state === 'opening'}
      // It opens a window of the person's desktop; an event that a script made is not trusted.
      onClick={(event) => {
        if (event.isTrusted) begin();
      }}
    >
      {state === 'opening' ? <Spinner /> : null}
      {t(isOffered ? 'mend_log_in' : 'log_in_again')}
    </button>
  );
};

/** What has become of the press. */
export const LogInState = ({ login: { state, error } }: { login: Login }): JSX.Element | null => {
  const { t } = useScene();
  if (state === 'open') {
    return (
      <p role="status">
        <Spinner /> {t('log_in_open')}
      </p>
    );
  }
  if (state === 'done') return <p role="status">{t('log_in_done')}</p>;
  if (state !== 'failed') return null;
  const detail = error === null ? '' : errorParts(error, t).detail;
  return (
    <p role="alert">
      <Sentence text={detail === '' || error?.code !== 'DESKTOP_FAILED' ? t('log_in_no_window') : detail} /> {t('log_in_how')}
    </p>
  );
};
