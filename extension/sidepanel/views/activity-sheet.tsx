/** What agents do in the browser, now and before; what they may do without asking; and an end to all of it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { actResult } from '#display/audit-words.ts';
import { toDuration, toMoment, toSize } from '#display/amounts.ts';
import { browserActs, type BrowserAct } from '#display/browser-acts.ts';
import { callSentence } from '#display/request-text.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { Grant } from '#protocol/browser.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { ActPictures } from '#extension/shared/act-pictures.ts';
import { changeLook, watchLook, type Look } from '#extension/shared/look.ts';
import type { SessionTabs as TabsAnswer } from '#extension/shared/messages.ts';
import { whyDebugged } from '../debugged.ts';
import { useHeld } from './held.ts';
import { Icon } from './icons.tsx';
import { ErrorText, Quoting, Sheet, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';
import { TrustedAct } from './trusted-act.tsx';

type Tabs = TabsAnswer['tabs'];
type Pictures = ReadonlyMap<string, ActPictures>;

/** While it is open it is read again so often. */
const READ_MS = 2_000;
const SHOWN_ACTS = 100;

export const ActivitySheet = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [acts, setActs] = useState<readonly BrowserAct[] | null>(null);
  const [grants, setGrants] = useState<readonly Grant[]>([]);
  const [error, setError] = useState<ErrorBody | null>(null);
  const [tabs, setTabs] = useState<Tabs>([]);
  const [pictures, setPictures] = useState<Pictures>(new Map());
  const [stopped, setStopped] = useState<number | null>(null);
  const read = async (): Promise<void> => {
    try {
      const [report, allowed, open] = await Promise.all([actions.readAudit(), actions.listGrants(), actions.page.sessionTabs()]);
      const shown = browserActs(report.entries, t).slice(0, SHOWN_ACTS);
      setActs(shown);
      setPictures(await actions.page.actPictures(shown.flatMap(({ callId }) => (callId === null ? [] : [callId]))));
      setGrants(allowed);
      setTabs(open);
      setError(null);
    } catch (fault) {
      setError(toErrorBody(fault));
    }
  };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const go = async (): Promise<void> => {
      await read();
      if (isOpen) timer = setTimeout(() => void go(), READ_MS);
    };
    void go();
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, [actions, t]);
  return (
    <Sheet title={t('activity')} onClose={onClose}>
      <TrustedAct
        label={t('activity_stop')}
        hint={stopped === null ? '' : t('activity_stopped', { count: stopped })}
        work={async () => setStopped(await actions.stopAll())}
      />
      {error === null ? null : <ErrorText error={error} />}
      <SessionTabs tabs={tabs} onTabs={setTabs} />
      {grants.length === 0 ? null : <h3>{t('grants')}</h3>}
      <ul class="list plain">
        {grants.map((grant) => (
          <GrantRow key={grant.id} grant={grant} onRevoked={read} />
        ))}
      </ul>
      {acts === null && error === null ? <Spinner /> : null}
      {acts?.length === 0 ? <p class="muted">{t('activity_none')}</p> : null}
      <PicturesSwitch />
      <ul class="list audit plain">
        {(acts ?? []).map((act) => (
          <Act key={act.seq} act={act} pictures={act.callId === null ? undefined : pictures.get(act.callId)} />
        ))}
      </ul>
    </Sheet>
  );
};

/** Where the session on screen works: a click leads there, or closes it. */
const SessionTabs = ({ tabs, onTabs }: { tabs: Tabs; onTabs: (tabs: Tabs) => void }): JSX.Element | null => {
  const { t, actions } = useScene();
  if (tabs.length === 0) return null;
  const act = (type: 'show' | 'close', tabId: number): void => void actions.page.sessionTabs({ type, tabId }).then(onTabs);
  return (
    <>
      <h3>{t('session_tabs')}</h3>
      <ul class="list plain">
        {tabs.map(({ tabId, title, url, isShown, debuggedFor }) => (
          <li key={tabId} class="session-tab">
            <button type="button" class="link" title={t('tab_show')} aria-current={isShown} onClick={() => act('show', tabId)}>
              <Icon name="browser" />
              <span dir="auto">{toVisible(title === '' ? url : title)}</span>
            </button>
            <button
              type="button"
              class="ghost"
              aria-label={t('tab_close', { title: toVisible(title) })}
              title={t('tab_close', { title: toVisible(title) })}
              onClick={({ isTrusted }) => {
                // Only the person closes tabs here: a script's event is not trusted.
                if (isTrusted) act('close', tabId);
              }}
            >
              <Icon name="close" />
            </button>
            {debuggedFor.length === 0 ? null : <p class="muted small-text">{whyDebugged(debuggedFor, t)}</p>}
          </li>
        ))}
      </ul>
    </>
  );
};

/** Whether pictures are kept: they stay in this browser, and go when it is switched off. */
const PicturesSwitch = (): JSX.Element | null => {
  const { t } = useScene();
  const [look, setLook] = useState<Look | null>(null);
  useEffect(() => watchLook(setLook), []);
  const [isOn, choose] = useHeld(look?.pictures ?? false, (pictures) => changeLook({ pictures }));
  if (look === null) return null;
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => {
          // What is seen in pages is the person's: a script's event is not trusted.
          if (event.isTrusted) choose(event.currentTarget.checked);
        }}
      />
      <span>{t('activity_pictures')}</span>
    </label>
  );
};

/** What a page looked like, small, and larger after a press. */
const Thumbnail = ({ data, label }: { data: string | null; label: string }): JSX.Element | null => {
  const [isLarge, setLarge] = useState(false);
  if (data === null) return null;
  return (
    <button type="button" class={isLarge ? 'picture large' : 'picture'} aria-expanded={isLarge} onClick={() => setLarge(!isLarge)}>
      <img src={`data:image/jpeg;base64,${data}`} alt={label} loading="lazy" />
    </button>
  );
};

interface ActProps {
  readonly act: BrowserAct;
  readonly pictures: ActPictures | undefined;
}

const Act = ({ act: { at, what, where, by, decision, outcome, isDenied, durationMs, answerBytes }, pictures }: ActProps): JSX.Element => {
  const { t } = useScene();
  const hasFailed = outcome !== null && outcome !== 'done';
  const came = [
    actResult(decision, t),
    outcome === null ? '' : actResult(outcome, t),
    durationMs === null ? '' : toDuration(durationMs, t),
    answerBytes === null ? '' : toSize(answerBytes),
  ];
  return (
    <li>
      <p>
        <Icon name={isDenied || hasFailed ? 'close' : outcome === null ? 'pulse' : 'check'} /> <Quoting text={toVisible(what)} />
        {where === '' ? null : <bdi class="muted"> {toVisible(where)}</bdi>}
      </p>
      <p class="muted small-text">
        {[toMoment(Date.parse(at), Date.now(), document.documentElement.lang), by, ...came]
          .filter((text) => text !== '')
          .map(toVisible)
          .join(' · ')}
      </p>
      {pictures === undefined ? null : (
        <div class="thumbnails">
          <Thumbnail data={pictures.before} label={t('activity_before', { what: toVisible(what) })} />
          <Thumbnail data={pictures.after} label={t('activity_after', { what: toVisible(what) })} />
        </div>
      )}
    </li>
  );
};

const GrantRow = ({ grant, onRevoked }: { grant: Grant; onRevoked: () => Promise<void> }): JSX.Element => {
  const { t, actions } = useScene();
  const { origin, toolClass, tool, sessionId, client, expiresAt } = grant;
  const facts = [
    tool === null ? t('grant_all_tools', { kind: t(`kind_${toolClass}`) }) : (callSentence(tool, {}, t) ?? tool),
    client.name,
    t(sessionId === null ? 'grant_always' : 'grant_session'),
    ...(expiresAt === null ? [] : [t('grant_until', { time: toMoment(expiresAt, Date.now(), document.documentElement.lang) })]),
  ];
  return (
    <li class="setup">
      <p class="setup-name">
        <bdi>{toVisible(origin)}</bdi>
      </p>
      <p class="muted small-text">{facts.map(toVisible).join(' · ')}</p>
      <TrustedAct
        label={t('grant_revoke')}
        hint=""
        work={async () => {
          await actions.revokeGrant(grant.id);
          await onRevoked();
        }}
      />
    </li>
  );
};
