/** What the person allowed for longer: sites, projects, browsers and programs; each can be taken back. */
import type { JSX } from 'preact';
import { callSentence } from '#display/request-text.ts';
import type { Grant } from '#protocol/browser.ts';
import { routes } from '#protocol/routes.ts';
import { useScene } from '#extension/sidepanel/views/scene.ts';
import { Admissions } from './admissions.tsx';
import { Fault, useLoaded } from './fields.tsx';
import { useSettings } from './scene.ts';
import { TrustedProjects } from './trusted-projects.tsx';

export const Permissions = (): JSX.Element => {
  const { call, state, say } = useSettings();
  const { t } = useScene();
  const grants = useLoaded(async () => (await call(routes.listGrants, {})).grants);
  const revoke = async (id: string): Promise<readonly Grant[]> => {
    await call(routes.removeGrant, { params: { id } });
    return (await call(routes.listGrants, {})).grants;
  };
  return (
    <>
      <h3>{say('grants')}</h3>
      {grants.value?.length === 0 ? <p class="muted">{say('noGrants')}</p> : null}
      <ul class="list plain">
        {grants.value?.map((grant) => (
          <li key={grant.id} class="row">
            <span class="row-text">
              <strong>{grant.origin}</strong>
              <span class="muted">
                {[
                  say(`class_${grant.toolClass}`),
                  grant.tool === null ? null : (callSentence(grant.tool, {}, t) ?? grant.tool),
                  grant.client.name,
                  grant.sessionId === null ? say('allSessions') : say('oneSession'),
                ]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </span>
            </span>
            <button
              type="button"
              aria-label={say('labelled', { label: say('takeBack'), text: grant.origin })}
              onClick={() => grants.take(async () => [...(await revoke(grant.id))])}
            >
              {say('takeBack')}
            </button>
          </li>
        ))}
      </ul>
      <Fault error={grants.error} />
      <TrustedProjects projects={state.trustedProjects} />
      <Admissions admissions={state.admissions} />
    </>
  );
};
