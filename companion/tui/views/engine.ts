/** All about one agent: where it was found, whether it works, what mends it, what it can. */
import { asCommand, withCommand } from '#display/command-name.ts';
import { engineStatusText, labelText } from '#display/engines.ts';
import { errorText } from '#display/error-text.ts';
import type { Capabilities, EngineInfo } from '#protocol/engines.ts';
import { paint } from '../paint.ts';
import { languageTag, say, t, type OwnText } from '../say.ts';
import { cleanLine, pad, wrap } from '../text.ts';

/** The lines of the page. */
export const engineLines = (engine: EngineInfo, columns: number, command: string): string[] => {
  const { label, version, path, pathSource, account, error, fix, capabilities, models, modes, checkedAt } = engine;
  const row = (name: OwnText, value: string | undefined): string[] =>
    value === undefined
      ? []
      : wrap(cleanLine(value), columns - 14).map((line, index) => `${paint('dim', pad(index === 0 ? t(name) : '', 12))}  ${line}`);
  const problem = error === undefined ? null : errorText(error, say);
  return [
    paint('strong', cleanLine(label)),
    '',
    ...row('State', engineStatusText(say, engine)),
    ...row('Version', version),
    ...row('Path', path),
    ...row('Found by', pathSource),
    ...row('Account', account),
    ...row('Checked', checkedAt === undefined ? undefined : new Date(checkedAt).toLocaleTimeString(languageTag())),
    ...(problem === null
      ? []
      : [
          '',
          ...wrap(cleanLine(`${problem.message} ${problem.detail}`.trim()), columns).map((line) => paint('error', line)),
          ...wrap(cleanLine(withCommand(problem.remedy, command)), columns),
        ]),
    ...(fix === undefined
      ? []
      : [
          '',
          t('To mend it, press <engine f>, or run in a terminal and press <engine r> here:'),
          ...wrap(cleanLine(asCommand(fix, command)), columns - 2).map((line) => `  ${paint('accent', line)}`),
        ]),
    '',
    ...row('Can', abilities(capabilities).join(', ') || t('nothing beyond text')),
    ...row('Tools by', capabilities.mcp.join(', ') || t('none')),
    ...row('Models', models.map((model) => model.label).join(', ') || undefined),
    ...row(
      'Modes',
      modes
        .map((mode) => ({ ...mode, label: labelText(mode, say) }))
        .map(({ label, isDangerous }) => (isDangerous ? t('{mode} (asks nothing)', { mode: label }) : label))
        .join(', ') || undefined,
    ),
  ];
};

const abilities = (capabilities: Capabilities): string[] =>
  [
    capabilities.canResume ? t('resume') : '',
    capabilities.canInterrupt ? t('stop') : '',
    capabilities.canSteer ? t('steer') : '',
    capabilities.hasPermissions ? t('ask for permission') : '',
    capabilities.hasQuestions ? t('ask questions') : '',
    capabilities.hasPlan ? t('plans') : '',
    capabilities.hasThoughts ? t('show its thoughts') : '',
    capabilities.hasUsage ? t('count tokens') : '',
    capabilities.hasImages ? t('see images') : '',
    capabilities.hasShell ? t('run commands') : '',
  ].filter((ability) => ability !== '');
