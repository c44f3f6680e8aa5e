/** What the person chooses for all sessions. */
import type { Preferences } from '#protocol/preferences.ts';
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

const toPreferences = ({
  dailyCostUsd,
  dailyTokens,
  notifyApproval,
  notifyQuestion,
  notifyFailed,
  notifyFinished,
  closeTabs,
  engineOrder,
  keepDays,
}: Preferences): Preferences => ({
  dailyCostUsd,
  dailyTokens,
  notifyApproval,
  notifyQuestion,
  notifyFailed,
  notifyFinished,
  closeTabs,
  engineOrder,
  keepDays,
});
