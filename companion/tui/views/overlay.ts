/** The page that covers the main pane. */
import { questionOf } from '#companion/tui/commands/request.ts';
import { paint } from '../paint.ts';
import { t } from '../say.ts';
import type { Overlay, TuiState } from '../state.ts';
import { admissionLines } from './admission.ts';
import { auditPageLines } from './audit.ts';
import { changesLines } from './changes.ts';
import { engineLines } from './engine.ts';
import { guideLines } from './guide.ts';
import { helpLines } from './help.ts';
import { pane, windowOf } from './pane.ts';
import { pickerLines } from './picker.ts';
import { questionLines } from './question.ts';
import { searchLines } from './search.ts';

/** An overlay that has a pane; inputs and confirmations are in the bottom line. */
export type Page = Exclude<Overlay, { type: 'input' | 'confirm' }>;

/** The overlay when it is a page. */
export const pageOf = ({ overlay }: TuiState): Page | null =>
  overlay === null || overlay.type === 'input' || overlay.type === 'confirm' ? null : overlay;

/** All lines of a page. */
export const pageLines = (state: TuiState, page: Page, columns: number, height: number): string[] => {
  switch (page.type) {
    case 'help':
      return helpLines(state, columns);
    case 'guide':
      return guideLines(state, columns);
    case 'engine': {
      const engine = state.engines.find(({ name }) => name === page.name);
      return engine === undefined ? [t('This agent is not known any more.')] : engineLines(engine, columns, state.command);
    }
    case 'changes':
      return changesLines(page.report, page.index, page.part, columns);
    case 'audit':
      return auditPageLines(page.report, columns, state.command);
    case 'admission': {
      const admission = state.admissions.find(({ id }) => id === page.id);
      return admission === undefined ? [t('It has gone.')] : admissionLines(admission, columns);
    }
    case 'search':
      return searchLines(page, columns, height);
    case 'picker':
      return pickerLines(page, columns, height);
    case 'question': {
      const found = questionOf(state, page.form);
      return found === null ? [t('The question was answered elsewhere.')] : questionLines(found.question, page.form, found.count, columns);
    }
  }
};

/** The pane of a page. */
export const pageView = (state: TuiState, page: Page, size: { width: number; height: number }): string[] => {
  const columns = size.width - 4;
  const height = size.height - 2;
  const all = pageLines(state, page, columns, height);
  const { lines, top } = windowOf(all, 'top' in page ? page.top : 0, height);
  return pane({
    title: paint('title', titleOf(page)),
    note: all.length > height ? paint('dim', t('{from}–{to} of {all}', { from: top + 1, to: top + lines.length, all: all.length })) : '',
    lines: lines.map((line) => ` ${line}`),
    width: size.width,
    height: size.height,
    isFocused: true,
  });
};

const titleOf = (page: Page): string => {
  switch (page.type) {
    case 'help':
      return t('Keys');
    case 'guide':
      return t('Welcome to Pilotfish');
    case 'engine':
      return t('Agent');
    case 'changes':
      return t(page.report?.since === 'commit' ? 'Changes since the last commit' : 'Changes since the session began');
    case 'audit':
      return t('What was decided and done');
    case 'admission':
      return t('New browser');
    case 'search':
      return t('Search');
    case 'picker':
      return page.title;
    case 'question':
      return t('Your answer');
  }
};
