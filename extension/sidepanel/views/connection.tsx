/** What keeps the panel from the companion: one sentence, one action, and whatever else could help folded away. */
import type { JSX } from 'preact';
import { errorText } from '#display/error-text.ts';
import { preparingWords } from '#display/preparing.ts';
import { isChinese } from '#display/words.ts';
import type { Translate } from '../i18n.ts';
import type { Status } from '../status.ts';
import { Icon, Mark } from './icons.tsx';
import { Command, CopyCommand, ErrorText, Sentence, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

/** The connection's state when it fills the whole panel, because there is nothing else to show. */
export const ConnectionPage = (): JSX.Element => {
  const { t, shown } = useScene();
  const { status } = shown;
  const isWaiting = status.kind === 'starting' || status.kind === 'reconnecting';
  return (
    <main class="page">
      <Mark />
      <div role={isWaiting ? 'status' : 'alert'}>
        <h1>
          {isWaiting ? <Spinner /> : null} {sentenceOf(status, t)}
        </h1>
      </div>
      {status.kind === 'starting' ? null : (
        <>
          <Mend status={status} />
          <More status={status} />
        </>
      )}
    </main>
  );
};

/** A line above a conversation that stays on screen. */
export const ConnectionBanner = (): JSX.Element | null => {
  const { t, shown } = useScene();
  const { status } = shown;
  if (status.kind === 'connected' || (status.kind === 'starting' && status.preparing === undefined)) return null;
  const isWaiting = status.kind === 'reconnecting' || status.kind === 'starting';
  return (
    <div class={`banner banner-${status.kind}`} role="status">
      <p>
        {isWaiting ? <Spinner /> : <Icon name="warning" />} {sentenceOf(status, t)}
      </p>
      {isWaiting ? null : (
        <>
          <Mend status={status} />
          <More status={status} />
        </>
      )}
    </div>
  );
};

const sentenceOf = ({ kind, preparing }: Status, t: Translate): string =>
  preparing === undefined ? t(kind) : preparingWords(preparing, isChinese(t) ? 'zh' : 'en');

/** What mends it: a command for a terminal where one does, and otherwise another try. */
const mendOf = ({ kind, error }: Status, t: Translate): { readonly command: string | null; readonly how: string } => {
  if (kind === 'host_missing') return { command: INSTALL, how: t('host_missing_how') };
  if (error === null || !BY_COMMAND.has(kind)) return { command: null, how: '' };
  const { remedy } = errorText(error, t);
  return { command: /`(pilotfish [a-z]+)`/.exec(remedy)?.[1] ?? null, how: remedy };
};

const INSTALL = 'pilotfish install';
/** In these states nothing comes by itself. */
const BY_COMMAND: ReadonlySet<Status['kind']> = new Set(['host_forbidden', 'host_crashed', 'refused']);

/** The one thing to do, with the sentence that says what it is for. */
export const Mend = ({ status }: { status: Status }): JSX.Element | null => {
  const { t } = useScene();
  const { how } = mendOf(status, t);
  return (
    <>
      {how === '' ? null : (
        <p class="remedy">
          <Sentence text={how} />
        </p>
      )}
      <Act status={status} />
    </>
  );
};

const Act = ({ status }: { status: Status }): JSX.Element => {
  const { t, actions } = useScene();
  const { command } = mendOf(status, t);
  if (command !== null) return <CopyCommand text={command} />;
  return (
    <button type="button" class="option option-allow_once" onClick={() => actions.connectAgain()}>
      {t('try_again')}
    </button>
  );
};

/** What else could help. */
const More = ({ status }: { status: Status }): JSX.Element => {
  const { t, actions } = useScene();
  const { command } = mendOf(status, t);
  return (
    <details class="more-help">
      <summary>{t('more_help')}</summary>
      <Reason status={status} />
      {command === null ? null : (
        <button type="button" class="link" onClick={() => actions.connectAgain()}>
          {t('try_again')}
        </button>
      )}
      <button type="button" class="link" onClick={() => actions.page.openSettings('check')}>
        {t('check_chain')}
      </button>
    </details>
  );
};

/** Why it is so, as far as that is known, and the way for a person who has no program yet. */
export const Reason = ({ status: { kind, error } }: { status: Status }): JSX.Element | null => {
  const { t } = useScene();
  if (kind === 'host_missing') {
    return (
      <>
        <p>{t('host_missing_clone')}</p>
        <Command text="npm start" />
      </>
    );
  }
  return error === null ? null : <ErrorText error={error} hasCode={kind !== 'host_forbidden' && kind !== 'link_lost'} />;
};
