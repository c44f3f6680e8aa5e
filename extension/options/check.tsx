/** The live check: one button, then every hop with its time and, where it is broken, what mends it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { errorParts } from '#display/error-text.ts';
import { labelText } from '#display/engines.ts';
import { ConnectionState, type PageMessage } from '#extension/shared/messages.ts';
import { Icon } from '#extension/sidepanel/views/icons.tsx';
import { Command, ErrorText, Spinner } from '#extension/sidepanel/views/parts.tsx';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { ConnectionHelp } from './connection-help.tsx';
import { walkChain, type Hop } from './live-check.ts';
import { useSettings } from './scene.ts';

const WORKER_WITHIN_MS = 5_000;

/** A worker that hangs does not answer at all. */
const askWorker = (): Promise<ConnectionState> =>
  Promise.race([
    chrome.runtime.sendMessage({ type: 'connection.get' } satisfies PageMessage).then((answer: unknown) => ConnectionState.parse(answer)),
    new Promise<never>((_, reject) => void setTimeout(() => reject(new Error('silent')), WORKER_WITHIN_MS)),
  ]);

export const LiveCheck = (): JSX.Element => {
  const { call, say } = useSettings();
  const [hops, setHops] = useState<readonly Hop[]>([]);
  const [result, setResult] = useState<'none' | 'running' | 'good' | 'broken'>('none');
  const run = async (): Promise<void> => {
    setResult('running');
    setResult((await walkChain({ askWorker, call, onHops: setHops })) ? 'good' : 'broken');
  };
  // The panel sends a person here where something is broken.
  useEffect(() => void (location.hash === '#check' ? run() : undefined), []);
  return (
    <>
      <p class="muted">{say('checkHow')}</p>
      <div class="buttons">
        <button type="button" disabled={result === 'running'} onClick={() => void run()}>
          {say(result === 'running' ? 'checkRunning' : 'checkStart')}
        </button>
      </div>
      <ol class="list hops">
        {hops.map((hop) => (
          <HopRow key={`${hop.id} ${hop.label ?? ''}`} hop={hop} isRunning={result === 'running'} />
        ))}
      </ol>
      <p role="status">{result === 'good' ? say('checkGood') : result === 'broken' ? say('checkBroken') : ''}</p>
    </>
  );
};

const HopRow = ({ hop, isRunning }: { hop: Hop; isRunning: boolean }): JSX.Element => {
  const { id, label, labelCode, state, ms } = hop;
  const { say } = useSettings();
  const { t } = useScene();
  return (
    <li class={`hop hop-${state}`}>
      <div class="row">
        {state === 'waiting' && isRunning ? (
          <Spinner />
        ) : (
          <Icon name={state === 'ok' ? 'check' : state === 'failed' ? 'warning' : 'more'} />
        )}
        <span class="row-text">
          {label === undefined ? say(`hop_${id === 'agent' ? 'noAgent' : id}`) : labelText({ label, labelCode }, t)}
        </span>
        <span class="muted">
          {state === 'waiting' && !isRunning ? say('hopSkipped') : ms === undefined ? say(`hop_is_${state}`) : `${ms} ms`}
        </span>
      </div>
      {state === 'failed' ? <Mending hop={hop} /> : null}
    </li>
  );
};

/** What failed, and the one thing to do about it; the rest is folded away. */
const Mending = ({ hop: { error, fix, mend } }: { hop: Hop }): JSX.Element => {
  const { actions, t, shown } = useScene();
  const { say } = useSettings();
  const { status } = shown;
  if (mend === 'connect' && status.kind !== 'connected') return <ConnectionHelp status={status} />;
  const reason = error === undefined ? null : <ErrorText error={error} hasCode={false} />;
  if (mend === 'reload')
    return (
      <>
        {error === undefined ? null : <p>{errorParts(error, t).title}</p>}
        <div class="buttons">
          <button type="button" class="primary" onClick={() => chrome.runtime.reload()}>
            {say('reload')}
          </button>
        </div>
      </>
    );
  if (mend === 'connect')
    return (
      <>
        {reason}
        <div class="buttons">
          <button type="button" class="primary" onClick={() => actions.connectAgain()}>
            {t('try_again')}
          </button>
        </div>
      </>
    );
  return (
    <>
      {reason}
      {fix === undefined ? <a href="#agents">{t('set_up_agents')}</a> : <Command text={fix} />}
    </>
  );
};
