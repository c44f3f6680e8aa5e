/** What agents do in the browser, now and before; what they may do without asking; and an end to all of it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toMoment } from '#display/amounts.ts';
import { callSentence } from '#display/request-text.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { Grant } from '#protocol/browser.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionTabs as TabsAnswer } from '#extension/shared/messages.ts';
import { whyDebugged } from '../debugged.ts';
import { Acts } from './acts.tsx';
import { Icon } from './icons.tsx';
import { ErrorText, Sheet } from './parts.tsx';
import { useRepeated } from './repeated.ts';
import { useScene } from './scene.ts';
import { TrustedAct } from './trusted-act.tsx';

type Tabs = TabsAnswer['tabs'];

export const ActivitySheet = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [grants, setGrants] = useState<readonly Grant[]>([]);
  const [error, setError] = useState<ErrorBody | null>(null);
  const [tabs, setTabs] = useState<Tabs>([]);
  const [stopped, setStopped] = useState<number | null>(null);
  const read = async (): Promise<void> => {
    try {
      const [allowed, open] = await Promise.all([actions.activity.listGrants(), actions.page.sessionTabs()]);
      setGrants(allowed);
      setTabs(open);
      setError(null);
    } catch (fault) {
      setError(toErrorBody(fault));
    }
  };
  useRepeated(read, [actions, t]);
  return (
    <Sheet title={t('activity')} onClose={onClose}>
      <TrustedAct
        label={t('activity_stop')}
        hint={stopped === null ? '' : t('activity_stopped', { count: stopped })}
        work={async () => setStopped(await actions.activity.stopAll())}
      />
      {error === null ? null : <ErrorText error={error} />}
      <SessionTabs tabs={tabs} onTabs={setTabs} />
      {grants.length === 0 ? null : (
        <details class="grants">
          <summary>{t('grants_count', { count: grants.length })}</summary>
          <ul class="list plain">
            {grants.map((grant) => (
              <GrantRow key={grant.id} grant={grant} onRevoked={read} />
            ))}
          </ul>
        </details>
      )}
      <Done
        onSession={(id) => {
          actions.openSession(id);
          onClose();
        }}
      />
    </Sheet>
  );
};

/** What was done: in the session on screen at first, or in all. */
const Done = ({ onSession }: { onSession: (id: SessionId) => void }): JSX.Element => {
  const { t, actions } = useScene();
  const [onScreen] = useState(() => actions.activity.sessionId());
  const [isAll, setAll] = useState(onScreen === null);
  return (
    <>
      <h3>{t('activity_done')}</h3>
      {onScreen === null ? null : (
        <div class="buttons" role="group" aria-label={t('activity_whose')}>
          {[false, true].map((all) => (
            <button key={String(all)} type="button" class="small act" aria-pressed={isAll === all} onClick={() => setAll(all)}>
              {t(all ? 'activity_all' : 'activity_this')}
            </button>
          ))}
        </div>
      )}
      <Acts key={String(isAll)} sessionId={isAll ? null : onScreen} onSession={onSession} />
    </>
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
          await actions.activity.revokeGrant(grant.id);
          await onRevoked();
        }}
      />
    </li>
  );
};
