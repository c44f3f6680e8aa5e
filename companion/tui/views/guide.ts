/** The welcome page: what is connected, what is missing, and a live check of the whole chain. */
import { withCommand } from '#display/command-name.ts';
import { overview, type OverviewLine } from '#display/overview.ts';
import { saidText } from '#display/said.ts';
import type { Finding } from '#protocol/setup.ts';
import { paint } from '../paint.ts';
import { say, spokenLanguage, t } from '../say.ts';
import type { TuiState } from '../state.ts';
import { cleanLine, wrap } from '../text.ts';

/** The lines of the page. */
export const guideLines = (state: TuiState, columns: number): string[] => {
  const sections = overview({
    browserSetups: state.browserSetups,
    extension: state.extension,
    installRemedy: t('Press <guide r>.'),
    daemon:
      state.link === 'connecting'
        ? null
        : { browsers: state.browsers, engines: state.engines, sessions: state.sessions, warnings: state.warnings },
    language: spokenLanguage(),
  });
  const check = ['', paint('strong', t('Live check')), ...checkLines(state.checks, columns, state.command)];
  return [
    ...wrap(t('Pilotfish runs your coding agents and gives them your own browser. This is how far it is set up here:'), columns),
    // What was just asked for stands where one looks first.
    ...(state.checks === null ? [] : check),
    ...sections.flatMap(({ title, lines }) => [
      '',
      paint('strong', title),
      ...lines.flatMap((line) => overviewLines(line, columns, state.command)),
    ]),
    ...(state.checks === null ? check : []),
  ];
};

const overviewLines = ({ mark, text, remedy }: OverviewLine, columns: number, command: string): string[] => [
  ...wrap(cleanLine(withCommand(text, command)), columns - 4).map((line, index) => `  ${index === 0 ? signs[mark] : ' '} ${line}`),
  ...(remedy === undefined
    ? []
    : wrap(cleanLine(withCommand(remedy, command)), columns - 6).map(
        (line, index) => `    ${index === 0 ? '→' : ' '} ${paint('accent', line)}`,
      )),
];

const signs = { ok: paint('ok', '✓'), missing: paint('warning', '!'), info: paint('dim', '·') } as const;

const checkLines = (checks: TuiState['checks'], columns: number, command: string): string[] => {
  if (checks === null)
    return wrap(t('<guide c> starts the executable as a browser would and checks every step up to the daemon.'), columns - 4).map(
      (line) => `    ${line}`,
    );
  if (checks === 'running') return [`    ${t('checking…')}`];
  return checks.flatMap((check) => checkLine(check, columns, command));
};

const checkLine = ({ title, status, detail, remedy }: Finding, columns: number, command: string): string[] => {
  const sign = { ok: paint('ok', '✓'), warning: paint('warning', '!'), failed: paint('error', '✗'), skipped: paint('dim', '·') }[status];
  return [
    ...wrap(cleanLine(say('labelled', { label: saidText(title, say), text: saidText(detail, say) })), columns - 4).map(
      (line, index) => `  ${index === 0 ? sign : ' '} ${line}`,
    ),
    ...(remedy === undefined
      ? []
      : wrap(cleanLine(withCommand(saidText(remedy, say), command)), columns - 6).map(
          (line, index) => `    ${index === 0 ? '→' : ' '} ${paint('accent', line)}`,
        )),
  ];
};
