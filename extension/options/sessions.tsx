/** Sessions that are chosen from all of them: saved as one file, or deleted and brought back. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { sessionTitle } from '#display/attention.ts';
import type { RemovedSession, SessionSummary } from '#protocol/api.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { ProjectId, type SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import type { ExportFormat } from '#protocol/session-export.ts';
import { saveAs } from '#extension/shared/save-as.ts';
import { BatchProgress, useBatch } from './batch.tsx';
import { Choice, Fault, type Loaded, useLoaded } from './fields.tsx';
import { offerSessions, type SessionFilter } from './offered-sessions.ts';
import { useSettings } from './scene.ts';
import { exportName, joinExports } from './session-files.ts';

/** More of them are shown by a press. */
const SHOWN = 50;
const EVERY_PROJECT: string = '';

export const Sessions = (): JSX.Element => {
  const { call, state } = useSettings();
  const removed = useLoaded(async () => (await call(routes.listRemovedSessions, {})).sessions);
  return (
    <>
      {(state.sessions ?? []).length === 0 ? null : <Chosen sessions={state.sessions ?? []} removed={removed} />}
      <Removed removed={removed} />
    </>
  );
};

type RemovedSessions = Loaded<RemovedSession[]>;

const Chosen = ({ sessions, removed }: { sessions: readonly SessionSummary[]; removed: RemovedSessions }): JSX.Element => {
  const { call, readBytes, say } = useSettings();
  const [filter, setFilter] = useState<SessionFilter>({ words: '', projectId: null });
  const [marked, setMarked] = useState<ReadonlySet<SessionId>>(new Set());
  const [format, setFormat] = useState<ExportFormat>('markdown');
  const [doing, setDoing] = useState<'export' | 'delete' | 'restore'>('export');
  const [gone, setGone] = useState<readonly SessionId[]>([]);
  const batch = useBatch();
  const found = useMemo(() => offerSessions(sessions, filter), [sessions, filter]);
  // What was deleted elsewhere meanwhile is chosen no more.
  const chosen = sessions.filter(({ id }) => marked.has(id)).map(({ id }) => id);
  const save = async (): Promise<void> => {
    setDoing('export');
    const { results, isWhole } = await batch.run(chosen, (sessionId) =>
      readBytes(routes.exportSession, { params: { sessionId }, query: { format } }),
    );
    if (isWhole) saveAs(exportName(chosen, format), joinExports(results, format));
  };
  const remove = async (): Promise<void> => {
    setDoing('delete');
    const { results } = await batch.run(chosen, async (sessionId) => {
      await call(routes.removeSession, { params: { sessionId }, query: {} });
      return sessionId;
    });
    setGone(results);
    setMarked(new Set(chosen.filter((id) => !results.includes(id))));
    await removed.take(async () => (await call(routes.listRemovedSessions, {})).sessions);
  };
  const restore = async (): Promise<void> => {
    setDoing('restore');
    const { results } = await batch.run(gone, async (sessionId) => {
      await call(routes.restoreSession, { params: { sessionId } });
      return sessionId;
    });
    setGone(gone.filter((id) => !results.includes(id)));
    await removed.take(async () => (await call(routes.listRemovedSessions, {})).sessions);
  };
  const isIdle = batch.progress === null;
  return (
    <>
      <h3>{say('export')}</h3>
      <Filter filter={filter} onFilter={setFilter} />
      <SessionList key={`${filter.words} ${filter.projectId}`} found={found} marked={marked} onMarked={setMarked} />
      <div class="choices">
        <Choice
          label={say('exportForm')}
          value={format}
          options={[
            ['markdown', say('exportMarkdown')],
            ['json', say('exportJson')],
          ]}
          onChoose={setFormat}
        />
      </div>
      <div class="buttons">
        <button type="button" disabled={chosen.length === 0 || !isIdle} onClick={() => void save()}>
          {say('exportSave')}
        </button>
        <button type="button" class="danger" disabled={chosen.length === 0 || !isIdle} onClick={() => void remove()}>
          {say('deleteChosen')}
        </button>
        <span class="muted small-text">{say('chosen', { count: chosen.length })}</span>
      </div>
      <BatchProgress label={say(`batch_${doing}`)} batch={batch} />
      <div role="status">
        {gone.length === 0 || !isIdle ? null : (
          <p class="buttons">
            {say('deleted', { count: gone.length })}
            <button type="button" onClick={() => void restore()}>
              {say('bringBack')}
            </button>
          </p>
        )}
      </div>
      <Fault error={batch.error} />
    </>
  );
};

const Filter = ({ filter, onFilter }: { filter: SessionFilter; onFilter: (filter: SessionFilter) => void }): JSX.Element => {
  const { state, say } = useSettings();
  const projects = state.projects ?? [];
  return (
    <div class="choices">
      <label class="pick">
        {say('exportFind')}
        <input
          class="field"
          type="search"
          value={filter.words}
          onInput={(event) => onFilter({ ...filter, words: event.currentTarget.value })}
        />
      </label>
      {projects.length === 0 ? null : (
        <Choice<string>
          label={say('byProject')}
          value={filter.projectId ?? EVERY_PROJECT}
          options={[[EVERY_PROJECT, say('everyProject')], ...projects.map(({ id, name }) => [id, toVisible(name)] as const)]}
          onChoose={(id) => onFilter({ ...filter, projectId: id === EVERY_PROJECT ? null : ProjectId.parse(id) })}
        />
      )}
    </div>
  );
};

const SessionList = ({
  found,
  marked,
  onMarked,
}: {
  found: readonly SessionSummary[];
  marked: ReadonlySet<SessionId>;
  onMarked: (marked: ReadonlySet<SessionId>) => void;
}): JSX.Element => {
  const { state, say } = useSettings();
  const [mostShown, setMostShown] = useState(SHOWN);
  const names = new Map((state.projects ?? []).map(({ id, name }) => [id, name]));
  const mark = (ids: readonly SessionId[], isMarked: boolean): void => {
    const next = new Set(marked);
    for (const id of ids) {
      if (isMarked) next.add(id);
      else next.delete(id);
    }
    onMarked(next);
  };
  const ids = found.map(({ id }) => id);
  const areAll = ids.length > 0 && ids.every((id) => marked.has(id));
  return (
    <div class="chooser">
      <label class="check">
        <input type="checkbox" checked={areAll} disabled={ids.length === 0} onChange={(event) => mark(ids, event.currentTarget.checked)} />
        {say('chooseAll', { count: ids.length })}
      </label>
      <ul class="list plain chooser-list">
        {found.slice(0, mostShown).map((session) => (
          <li key={session.id}>
            <label class="check">
              <input
                type="checkbox"
                checked={marked.has(session.id)}
                onChange={(event) => mark([session.id], event.currentTarget.checked)}
              />
              <span class="row-text">
                <bdi>{toVisible(sessionTitle(session)) || say('unnamed')}</bdi>
                <span class="muted small-text">
                  {[
                    session.projectId === null ? '' : (names.get(session.projectId) ?? ''),
                    new Date(session.updatedAt).toLocaleDateString(document.documentElement.lang, { dateStyle: 'medium' }),
                  ]
                    .filter((text) => text !== '')
                    .map(toVisible)
                    .join(' · ')}
                </span>
              </span>
            </label>
          </li>
        ))}
        {found.length > mostShown ? (
          <li>
            <button type="button" class="small" onClick={() => setMostShown(mostShown + SHOWN)}>
              {say('showMore', { count: found.length - mostShown })}
            </button>
          </li>
        ) : null}
      </ul>
    </div>
  );
};

/** Sessions that were deleted within the last hour. */
const Removed = ({ removed }: { removed: RemovedSessions }): JSX.Element | null => {
  const { call, say } = useSettings();
  const restore = async (sessionId: SessionId): Promise<RemovedSession[]> => {
    await call(routes.restoreSession, { params: { sessionId } });
    return (await call(routes.listRemovedSessions, {})).sessions;
  };
  if ((removed.value ?? []).length === 0) return <Fault error={removed.error} />;
  return (
    <>
      <h3>{say('removedSessions')}</h3>
      <ul class="list plain chooser-list">
        {removed.value?.map(({ session }) => (
          <li key={session.id} class="row">
            <span class="row-text">{toVisible(sessionTitle(session)) || say('unnamed')}</span>
            <button type="button" onClick={() => removed.take(() => restore(session.id))}>
              {say('restore')}
            </button>
          </li>
        ))}
      </ul>
      <Fault error={removed.error} />
    </>
  );
};
