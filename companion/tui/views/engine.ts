/** All about one agent: where it was found, whether it works, what mends it, what it can. */
import { withCommand } from '#display/command-name.ts';
import { engineStatusText } from '#display/engines.ts';
import type { Capabilities, EngineInfo } from '#protocol/engines.ts';
import { paint } from '../paint.ts';
import { say } from '../say.ts';
import { cleanLine, wrap } from '../text.ts';

/** The lines of the page. */
export const engineLines = (engine: EngineInfo, columns: number, command: string): string[] => {
  const { label, version, path, pathSource, account, error, fix, capabilities, models, modes, checkedAt } = engine;
  const row = (name: string, value: string | undefined): string[] =>
    value === undefined
      ? []
      : wrap(cleanLine(value), columns - 14).map((line, index) => `${paint('dim', (index === 0 ? name : '').padEnd(12))}  ${line}`);
  return [
    paint('strong', cleanLine(label)),
    '',
    ...row('State', engineStatusText(say, engine)),
    ...row('Version', version),
    ...row('Path', path),
    ...row('Found by', pathSource),
    ...row('Account', account),
    ...row('Checked', checkedAt === undefined ? undefined : new Date(checkedAt).toLocaleTimeString('en-GB')),
    ...(error === undefined
      ? []
      : [
          '',
          ...wrap(cleanLine(error.message), columns).map((line) => paint('error', line)),
          ...wrap(cleanLine(withCommand(error.remedy, command)), columns),
        ]),
    ...(fix === undefined
      ? []
      : [
          '',
          'To mend it, run in a terminal and press r here:',
          ...wrap(cleanLine(fix), columns - 2).map((line) => `  ${paint('accent', line)}`),
        ]),
    '',
    ...row('Can', abilities(capabilities).join(', ') || 'nothing beyond text'),
    ...row('Tools by', capabilities.mcp.join(', ') || 'none'),
    ...row('Models', models.map((model) => model.label).join(', ') || undefined),
    ...row('Modes', modes.map((mode) => `${mode.label}${mode.isDangerous ? ' (asks nothing)' : ''}`).join(', ') || undefined),
  ];
};

const abilities = (capabilities: Capabilities): string[] =>
  [
    capabilities.canResume ? 'resume' : '',
    capabilities.canInterrupt ? 'stop' : '',
    capabilities.canSteer ? 'steer' : '',
    capabilities.hasPermissions ? 'ask for permission' : '',
    capabilities.hasQuestions ? 'ask questions' : '',
    capabilities.hasPlan ? 'plans' : '',
    capabilities.hasThoughts ? 'show its thoughts' : '',
    capabilities.hasUsage ? 'count tokens' : '',
    capabilities.hasImages ? 'see images' : '',
    capabilities.hasShell ? 'run commands' : '',
  ].filter((ability) => ability !== '');
