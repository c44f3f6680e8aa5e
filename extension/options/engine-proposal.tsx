/**
 * A change of what starts an agent: a press proposes it, and the person makes it in a terminal window. Where no window can be opened, the
 * commands that do the same are there to copy.
 */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { errorParts } from '#display/error-text.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { EngineProposal, ProposalOutcome } from '#protocol/errands.ts';
import { routes } from '#protocol/routes.ts';
import { Command, Sentence, Spinner } from '#extension/sidepanel/views/parts.tsx';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { Fault } from './fields.tsx';
import { useSettings } from './scene.ts';

/** The daemon waits for three minutes. */
const ANSWERED_WITHIN_MS = 4 * 60_000;

interface ProposalProps {
  readonly name: string;
  /** Null offers nothing: what became of the last press stays until there is something new. */
  readonly change: EngineProposal | null;
  readonly commands: readonly string[];
  readonly label: string;
  readonly onDone?: () => void;
}

type State = 'offered' | 'waiting' | ProposalOutcome | ErrorBody;

/** The button, and what has become of the press. */
export const ProposalButton = ({ name, change, commands, label, onDone }: ProposalProps): JSX.Element | null => {
  const { t } = useScene();
  const { say } = useSettings();
  const { state, begin, cancel } = useProposal(name, change, onDone);
  const isWaiting = state === 'waiting';
  if (change === null && state === 'offered') return null;
  return (
    <div class="setup-part">
      {change === null && !isWaiting ? null : (
        <div class="buttons">
          <button
            type="button"
            disabled={isWaiting}
            aria-busy={isWaiting}
            // It opens a window of the person's desktop; an event that a script made is not trusted.
            onClick={(event) => {
              if (event.isTrusted) begin();
            }}
          >
            {isWaiting ? <Spinner /> : null}
            {label}
          </button>
          {isWaiting ? (
            <button type="button" onClick={cancel}>
              {t('cancel')}
            </button>
          ) : null}
        </div>
      )}
      {typeof state === 'object' ? <Failure error={state} commands={commands} /> : null}
      {typeof state === 'object' || state === 'offered' ? null : <p role="status">{say(`engineProposal_${state}`)}</p>}
      {typeof state === 'object' || change === null || change.type === 'remove' ? null : (
        <details>
          <summary>{say('engineByCommand')}</summary>
          <Commands commands={commands} />
        </details>
      )}
    </div>
  );
};

export const Commands = ({ commands }: { commands: readonly string[] }): JSX.Element => {
  const { say } = useSettings();
  return (
    <>
      <p>{say(navigator.platform.startsWith('Win') ? 'engineRunWindows' : 'engineRun')}</p>
      {commands.map((command) => (
        <Command key={command} text={command} />
      ))}
    </>
  );
};

/** The commands stand at once where there is no window. */
const Failure = ({ error, commands }: { error: ErrorBody; commands: readonly string[] }): JSX.Element => {
  const { t } = useScene();
  // A companion that is older than the panel opens none.
  if (error.code !== 'DESKTOP_FAILED' && error.code !== 'ROUTE_NOT_FOUND') return <Fault error={error} />;
  const detail = error.code === 'DESKTOP_FAILED' ? errorParts(error, t).detail : '';
  return (
    <>
      <p role="alert">
        <Sentence text={detail === '' ? t('log_in_no_window') : detail} />
      </p>
      <Commands commands={commands} />
    </>
  );
};

const useProposal = (name: string, change: EngineProposal | null, onDone: (() => void) | undefined) => {
  const { actions } = useScene();
  const { call } = useSettings();
  const [state, setState] = useState<State>('offered');
  const gone = useRef<AbortController | null>(null);
  useEffect(() => () => gone.current?.abort(), []);
  // What became of the last press says nothing of what stands there next; a form that is empty again shows what was done.
  useEffect(() => {
    if (state !== 'waiting' && !(state === 'done' && change === null)) setState('offered');
  }, [name, JSON.stringify(change)]);
  const begin = async (): Promise<void> => {
    if (change === null) return;
    const { signal } = (gone.current = new AbortController());
    setState('waiting');
    try {
      const language = document.documentElement.lang === 'zh' ? 'zh' : 'en';
      const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWERED_WITHIN_MS)]);
      const { outcome } = await call(routes.proposeEngine, { params: { name }, body: { change, language } }, limit);
      if (signal.aborted) return;
      setState(outcome);
      if (outcome !== 'done') return;
      onDone?.();
      await actions.engines.openEngineSetups();
    } catch (error) {
      if (!signal.aborted) setState(toErrorBody(error));
    }
  };
  const cancel = (): void => {
    gone.current?.abort();
    setState('offered');
  };
  return { state, begin: () => void begin(), cancel };
};
