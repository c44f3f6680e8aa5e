/** Where the page in front of the person comes from a project of this machine: the way there. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sessionTitle } from '#display/attention.ts';
import type { ServedPage } from '../context-actions.ts';
import { Icon } from './icons.tsx';
import { useScene } from './scene.ts';

/** Offers the project whose development server the page is from, or the session in whose own folder that works. What is chosen stays until it is pressed. */
export const ServedProject = (): JSX.Element | null => {
  const { t, actions, state, shown } = useScene();
  const served = useServed();
  if (served === null) return null;
  const session = state.sessions?.find(({ id }) => id === served.sessionId);
  if (session === undefined && served.project.id === shown.selected.project?.id) return null;
  return (
    <p class="served-project">
      <button
        type="button"
        class="option"
        title={served.root}
        onClick={() => (session === undefined ? void actions.chooseProject(served.project.id) : actions.openSession(session.id))}
      >
        <Icon name="folder" />
        {session === undefined
          ? t('served_project', { project: served.project.name })
          : t('served_session', { session: sessionTitle(session) || served.project.name })}
      </button>
    </p>
  );
};

/** Whose development server the tab in front is from. It is asked once for each address of a server. */
const useServed = (): ServedPage | null => {
  const { actions } = useScene();
  const [origin, setOrigin] = useState<string | null>(null);
  const [served, setServed] = useState<ServedPage | null>(null);
  useEffect(() => actions.page.watchTab((tab) => setOrigin(URL.parse(tab?.url ?? '')?.origin ?? null)), [actions]);
  useEffect(() => {
    setServed(null);
    const url = URL.parse(origin ?? '');
    if (url === null) return;
    let isWanted = true;
    void actions.page.servedAt(url).then((found) => (isWanted ? setServed(found) : undefined));
    return () => {
      isWanted = false;
    };
  }, [origin, actions]);
  return served;
};
