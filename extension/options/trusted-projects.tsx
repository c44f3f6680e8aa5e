/** Projects whose own files may start programs, and taking that back. Giving it is asked for on a card, where the files are shown. */
import type { JSX } from 'preact';
import type { TrustedProject } from '#protocol/api.ts';
import { Attempt } from '#extension/sidepanel/views/attempt.tsx';
import { Spinner } from '#extension/sidepanel/views/parts.tsx';
import { useScene } from '#extension/sidepanel/views/scene.ts';

export const TrustedProjects = ({ projects }: { projects: readonly TrustedProject[] }): JSX.Element | null => {
  const { t, actions } = useScene();
  if (projects.length === 0) return null;
  return (
    <>
      <h3>{t('trusted_projects')}</h3>
      <p class="muted">{t('trusted_how')}</p>
      <ul class="list">
        {projects.map(({ path, files }) => (
          <li key={path} class="setup">
            <p class="setup-name">{path}</p>
            <p class="muted small-text">{files.join(', ')}</p>
            <Attempt work={() => actions.engines.revokeTrust(path)}>
              {(run, isBusy) => (
                <div class="buttons">
                  <button type="button" class="small" disabled={isBusy} onClick={run}>
                    {isBusy ? <Spinner /> : null}
                    {t('revoke_trust')}
                  </button>
                </div>
              )}
            </Attempt>
          </li>
        ))}
      </ul>
    </>
  );
};
