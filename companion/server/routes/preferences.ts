/** What the person chooses for all sessions. */
import { Preferences } from '#protocol/preferences.ts';
import type { routes } from '#protocol/routes.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';

export const preferenceHandlers = ({
  engines,
  settings,
  log,
}: ServerDeps): Pick<Handlers<typeof routes>, 'readPreferences' | 'changePreferences'> => ({
  readPreferences: () => toPreferences(settings.current()),
  changePreferences: ({ body }) => {
    settings.change(body);
    if (body.engineOrder !== undefined) engines.tell();
    log.warn('settings.changed', { ...body });
    return toPreferences(settings.current());
  },
});

/** Only what stands in the contract: settings hold more. */
const toPreferences = (settings: Preferences): Preferences => Preferences.strip().parse(settings);
