/** All settings on one page, with their parts beside it. Each takes effect at once. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { VERSION } from '#protocol/version.ts';
import { settingsParts, type SettingsPart } from '#extension/shared/capture.ts';
import type { Look } from '#extension/shared/look.ts';
import type { Call, ReadBytes } from '#extension/shared/wire.ts';
import type { Translate } from '#extension/sidepanel/i18n.ts';
import type { Panel } from '#extension/sidepanel/panel.ts';
import { Shown } from '#extension/sidepanel/shown.ts';
import { Mark } from '#extension/sidepanel/views/icons.tsx';
import { ErrorText } from '#extension/sidepanel/views/parts.tsx';
import { SceneContext, useScene } from '#extension/sidepanel/views/scene.ts';
import { Agents } from './agents.tsx';
import { Appearance, Keyboard } from './appearance.tsx';
import { BrowserPart, Connection } from './browser.tsx';
import { LiveCheck } from './check.tsx';
import { Clients } from './clients.tsx';
import { Data } from './data.tsx';
import { Notifications } from './notifications.tsx';
import { Permissions } from './permissions.tsx';
import { SettingsContext } from './scene.ts';
import type { Say } from './texts.ts';
import { UsagePart } from './usage.tsx';

const parts: Readonly<Record<SettingsPart, () => JSX.Element | null>> = {
  connection: Connection,
  check: LiveCheck,
  agents: Agents,
  permissions: Permissions,
  browser: BrowserPart,
  keyboard: Keyboard,
  appearance: Appearance,
  notifications: Notifications,
  clients: Clients,
  usage: UsagePart,
  data: Data,
};

/** Without a daemon only what this browser keeps can be set. */
const WITHOUT_DAEMON: ReadonlySet<SettingsPart> = new Set(['connection', 'check', 'keyboard', 'appearance']);

export const OptionsPage = ({
  panel: {
    store: { state },
    actions,
  },
  call,
  readBytes,
  look,
  t,
  say,
}: {
  panel: Pick<Panel, 'store' | 'actions'>;
  /** The wire to the daemon; it is used only while the panel is connected. */
  call: Call;
  readBytes: ReadBytes;
  look: Look;
  t: Translate;
  say: Say;
}): JSX.Element => {
  const { connection } = state;
  const isConnected = connection.state === 'connected';
  const endpoint = isConnected ? `${connection.base} ${connection.port} ${connection.token}` : null;
  const shown = useMemo(() => new Shown(state), [state]);
  const scene = useMemo(
    () => ({ t, actions, state, shown, enter: look.enter, focusComposer: () => {} }),
    [t, actions, state, shown, look.enter],
  );
  const settings = { say, state, call, readBytes, isConnected, look };
  const names = settingsParts.filter((part) => isConnected || WITHOUT_DAEMON.has(part));
  return (
    <SceneContext.Provider value={scene}>
      <SettingsContext.Provider value={settings}>
        <div class="settings">
          <nav aria-label={say('settings')}>
            <p class="brand">
              <Mark /> Pilotfish {VERSION}
            </p>
            {names.map((part) => (
              <a key={part} href={`#${part}`}>
                {say(part)}
              </a>
            ))}
          </nav>
          <main>
            <h1>{say('settings')}</h1>
            <Failure />
            {names.map((part) => (
              // What needs no daemon stays as it is when another one comes.
              <Part key={WITHOUT_DAEMON.has(part) ? part : `${part} ${endpoint}`} name={part} title={say(part)}>
                {draw(parts[part])}
              </Part>
            ))}
          </main>
        </div>
      </SettingsContext.Provider>
    </SceneContext.Provider>
  );
};

const Failure = (): JSX.Element | null => {
  const { failure } = useScene().state;
  return failure === null ? null : (
    <div class="notice notice-warning" role="alert">
      <ErrorText error={failure} />
    </div>
  );
};

const draw = (View: () => JSX.Element | null): JSX.Element => <View />;

/** Comes into sight when its address was opened. */
const Part = ({ name, title, children }: { name: SettingsPart; title: string; children: ComponentChildren }): JSX.Element => {
  useEffect(() => {
    if (location.hash === `#${name}`) document.querySelector(location.hash)?.scrollIntoView();
  }, []);
  return (
    <section id={name}>
      <h2>{title}</h2>
      {children}
    </section>
  );
};
