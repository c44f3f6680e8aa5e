/** The acts of agents in the browser: found by words and by how they ended, the newest first, with pictures where the person wants them. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { toDuration, toMoment, toSize } from '#display/amounts.ts';
import { browserActs, isWanted, type ActFilter, type ActState, type BrowserAct } from '#display/browser-acts.ts';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { ActPictures } from '#extension/shared/act-pictures.ts';
import { changeLook, watchLook, type Look } from '#extension/shared/look.ts';
import { CallTrail } from '../call-trail.ts';
import { useHeld } from './held.ts';
import { Icon, type IconName } from './icons.tsx';
import { ErrorText, Quoting, Spinner } from './parts.tsx';
import { useRepeated } from './repeated.ts';
import { useScene } from './scene.ts';

type Pictures = ReadonlyMap<string, ActPictures>;

const SHOWN_ACTS = 50;

const everyAct: ActFilter = { words: '', state: null };

/** Of one session, or of all. `onSession` is called when the person goes to the session of an act. */
export const Acts = ({ sessionId, onSession }: { sessionId: SessionId | null; onSession: (id: SessionId) => void }): JSX.Element => {
  const { t } = useScene();
  const [filter, setFilter] = useState(everyAct);
  const [mostShown, setMostShown] = useState(SHOWN_ACTS);
  const { acts, hasEarlier, error, readEarlier } = useActs(sessionId);
  const wanted = useMemo(() => (acts ?? []).filter((act) => isWanted(act, filter)), [acts, filter]);
  const shown = wanted.slice(0, mostShown);
  const look = useLook();
  const pictures = usePictures(look?.pictures === true ? shown : []);
  const isLooking = acts !== null && error === null && wanted.length < mostShown && hasEarlier;
  useEffect(() => (isLooking ? readEarlier() : undefined), [isLooking, acts]);
  return (
    <>
      <Filter
        filter={filter}
        onFilter={(next) => {
          setFilter(next);
          setMostShown(SHOWN_ACTS);
        }}
      />
      {look === null ? null : <PicturesSwitch look={look} />}
      {error === null ? null : <ErrorText error={error} />}
      {acts !== null && !isLooking && wanted.length === 0 ? (
        <p class="muted">{t(filter.words.trim() === '' && filter.state === null ? 'activity_none' : 'activity_not_found')}</p>
      ) : null}
      <ul class="list audit plain">
        {shown.map((act) => (
          <Act key={act.seq} act={act} pictures={act.callId === null ? undefined : pictures.get(act.callId)}>
            {sessionId === null && act.sessionId !== null ? <SessionLink id={act.sessionId} onSession={onSession} /> : null}
          </Act>
        ))}
      </ul>
      {(acts === null && error === null) || isLooking ? (
        <p class="muted" role="status">
          <Spinner /> {t(isLooking ? 'activity_looking' : 'loading')}
        </p>
      ) : null}
      {wanted.length > mostShown ? (
        <button type="button" class="small act" onClick={() => setMostShown(mostShown + SHOWN_ACTS)}>
          {t('activity_earlier')}
        </button>
      ) : null}
    </>
  );
};

/** The acts as far as they were read, which grow while they are looked at. */
const useActs = (
  sessionId: SessionId | null,
): { acts: readonly BrowserAct[] | null; hasEarlier: boolean; error: ErrorBody | null; readEarlier: () => void } => {
  const { t, actions } = useScene();
  const trail = useMemo(
    () => new CallTrail((query) => actions.activity.listCalls({ ...query, ...(sessionId === null ? {} : { sessionId }) })),
    [actions, sessionId],
  );
  const [entries, setEntries] = useState(trail.entries);
  const [error, setError] = useState<ErrorBody | null>(null);
  const after = async (reading: Promise<void>): Promise<void> => {
    try {
      await reading;
      setEntries(trail.entries);
      setError(null);
    } catch (fault) {
      setError(toErrorBody(fault));
    }
  };
  // The daemon's stream of lists does not tell of calls.
  useRepeated(() => after(trail.readNewer()), [trail]);
  const acts = useMemo(() => (entries === null ? null : browserActs(entries, t)), [entries, t]);
  return { acts, hasEarlier: trail.hasEarlier, error, readEarlier: () => void after(trail.readEarlier()) };
};

const Filter = ({ filter, onFilter }: { filter: ActFilter; onFilter: (filter: ActFilter) => void }): JSX.Element => {
  const { t } = useScene();
  return (
    <>
      <input
        class="field"
        type="search"
        aria-label={t('activity_find')}
        placeholder={t('activity_find')}
        value={filter.words}
        onInput={({ currentTarget }) => onFilter({ ...filter, words: currentTarget.value })}
      />
      <div class="buttons" role="group" aria-label={t('activity_ended')}>
        {(['failed', 'refused'] as const).map((state) => (
          <button
            key={state}
            type="button"
            class="small act"
            aria-pressed={filter.state === state}
            onClick={() => onFilter({ ...filter, state: filter.state === state ? null : state })}
          >
            {t(`activity_ended_${state}`)}
          </button>
        ))}
      </div>
    </>
  );
};

const useLook = (): Look | null => {
  const [look, setLook] = useState<Look | null>(null);
  useEffect(() => watchLook(setLook), []);
  return look;
};

/** A picture is kept before the end of its act is, so that they are read again only when acts came. */
const usePictures = (acts: readonly BrowserAct[]): Pictures => {
  const { actions } = useScene();
  const [pictures, setPictures] = useState<Pictures>(new Map());
  const ended = acts.flatMap(({ callId, state }) => (callId !== null && (state === 'done' || state === 'failed') ? [callId] : []));
  useEffect(() => {
    let isWanted = true;
    void actions.page.actPictures(ended).then((found) => (isWanted ? setPictures(found) : undefined));
    return () => {
      isWanted = false;
    };
  }, [ended.join(' ')]);
  return pictures;
};

/** Stands where the pictures would: whether they are kept is decided by one press, and what they show is said before it. */
const PicturesSwitch = ({ look }: { look: Look }): JSX.Element => {
  const { t } = useScene();
  const [isOn, choose] = useHeld(look.pictures, (pictures) => changeLook({ pictures }));
  return (
    <div class="pictures-switch">
      {isOn ? null : (
        <div class="thumbnails" aria-hidden="true">
          <span class="no-picture">{t('activity_picture_before')}</span>
          <span class="no-picture">{t('activity_picture_after')}</span>
        </div>
      )}
      <label class="switch">
        <input
          type="checkbox"
          checked={isOn}
          onClick={(event) => {
            // What is seen in pages is the person's. The change that comes of a script's click is trusted, the click is not.
            if (event.isTrusted) choose(event.currentTarget.checked);
            else event.preventDefault();
          }}
        />
        <span>{t('activity_pictures')}</span>
      </label>
      <p class="muted small-text">{t(isOn ? 'activity_pictures_kept' : 'activity_pictures_off')}</p>
    </div>
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

const ICONS = { running: 'pulse', done: 'check', failed: 'close', refused: 'close' } as const satisfies Record<ActState, IconName>;

const Act = ({
  act,
  pictures,
  children,
}: {
  act: BrowserAct;
  pictures: ActPictures | undefined;
  children: ComponentChildren;
}): JSX.Element => {
  const { t } = useScene();
  const { at, what, where, by, state, durationMs, answerBytes } = act;
  const facts = [
    by,
    ...act.results,
    ...(durationMs === null ? [] : [toDuration(durationMs, t)]),
    ...(answerBytes === null ? [] : [toSize(answerBytes)]),
  ];
  return (
    <li data-state={state}>
      <p>
        <Icon name={ICONS[state]} /> <Quoting text={toVisible(what)} />
        {where === '' ? null : <bdi class="muted"> {toVisible(where)}</bdi>}
      </p>
      <p class="muted small-text">
        <time dateTime={at}>{toMoment(Date.parse(at), Date.now(), document.documentElement.lang)}</time>
        {' · '}
        {facts.map(toVisible).join(' · ')}
      </p>
      {children}
      {pictures === undefined ? null : (
        <div class="thumbnails">
          <Thumbnail data={pictures.before} label={t('activity_before', { what: toVisible(what) })} />
          <Thumbnail data={pictures.after} label={t('activity_after', { what: toVisible(what) })} />
        </div>
      )}
    </li>
  );
};

const SessionLink = ({ id, onSession }: { id: SessionId; onSession: (id: SessionId) => void }): JSX.Element | null => {
  const { t, actions } = useScene();
  const title = actions.activity.titleOf(id);
  return title === '' ? null : (
    <button type="button" class="link act-session" title={t('activity_go')} onClick={() => onSession(id)}>
      <span dir="auto">{toVisible(title)}</span>
    </button>
  );
};
