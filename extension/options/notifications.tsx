/** Of what the person is notified who does not look: the same on every surface. */
import type { JSX } from 'preact';
import { NotificationKind, preferenceOf } from '#protocol/notifications.ts';
import { routes } from '#protocol/routes.ts';
import { Check, Fault, useLoaded } from './fields.tsx';
import { useSettings } from './scene.ts';

export const Notifications = (): JSX.Element => {
  const { call, say } = useSettings();
  const preferences = useLoaded(() => call(routes.readPreferences, {}));
  const { value } = preferences;
  return (
    <>
      <p class="muted">{say('notificationsHow')}</p>
      {value === null
        ? null
        : NotificationKind.options.map((kind) => (
            <Check
              key={kind}
              label={say(`notify_${kind}`)}
              isOn={value[preferenceOf[kind]]}
              onChange={(isOn) => preferences.take(() => call(routes.changePreferences, { body: { [preferenceOf[kind]]: isOn } }))}
            />
          ))}
      <Fault error={preferences.error} />
    </>
  );
};
