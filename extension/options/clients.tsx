/** What another program has to be told to use this browser by MCP, ready to be copied. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { clientForms, configText, type ClientName } from '#display/mcp-config.ts';
import { routes } from '#protocol/routes.ts';
import { Command, CopyButton } from '#extension/sidepanel/views/parts.tsx';
import { Choice, Fault, useLoaded } from './fields.tsx';
import { useSettings } from './scene.ts';

const isClient = (name: string): name is ClientName => Object.hasOwn(clientForms, name);
const names = Object.keys(clientForms).filter(isClient);

export const Clients = (): JSX.Element => {
  const { call, say } = useSettings();
  const command = useLoaded(() => call(routes.mcpCommand, {}));
  const [name, setName] = useState<ClientName>('claude-desktop');
  const text = command.value === null ? '' : configText(name, withoutNothing(command.value));
  return (
    <>
      <p class="muted">{say('clientsHow')}</p>
      <Choice label={say('client')} value={name} options={names.map((each) => [each, clientForms[each].label])} onChoose={setName} />
      {text === '' ? null : (
        <div class="copyable">
          <CopyButton text={text} />
          {/* A region that scrolls is reached by the keyboard. */}
          <pre tabIndex={0}>{text}</pre>
        </div>
      )}
      <p class="muted">{say('clientsCommand')}</p>
      <Command text={`pilotfish mcp config ${name} --install`} />
      <Fault error={command.error} />
    </>
  );
};

const withoutNothing = ({
  command,
  args,
  env,
}: {
  command: string;
  args: string[];
  env?: Record<string, string> | undefined;
}): Parameters<typeof configText>[1] => ({ command, args, ...(env === undefined ? {} : { env }) });
