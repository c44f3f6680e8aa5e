/** Tests of the tools in a browser that they share, because a start takes as long as ten of them. */
import { beforeEach, describe } from 'vitest';
import { type Reusable, sharing, sharingAcrossFiles } from '#test/fixtures/shared.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import {
  type Agent,
  type AgentStage,
  type PlainStage,
  type ToolStage,
  openHidden,
  openShown,
  startPlainStage,
  startToolStage,
} from './tool-stage.ts';

/**
 * What saves processor's time, and changes nothing for a page: tabs of one site share their process, and sites stay apart; nothing is drawn but
 * the page, because there is no frame around it; and what draws is no process of its own.
 */
const LIGHT = ['--process-per-site', '--kiosk', '--in-process-gpu'];

export const test = sharingAcrossFiles<ToolStage & Reusable>(() => startToolStage(undefined, LIGHT));

/** For tests that end a part of their browser, or change it for good: it lasts as long as their file. */
export const ownTest = sharing<ToolStage & Reusable>(() => startToolStage());

/** In a browser that nobody is attached to. */
export const plainTest = sharingAcrossFiles<PlainStage>(() => startPlainStage(1));

export interface TabKind {
  readonly how: 'hidden' | 'shown';
  readonly isShown: boolean;
  /** Opens a page in a tab of this kind. */
  readonly open: (stage: AgentStage, page: string) => Promise<Agent>;
}

const TABS: readonly TabKind[] = [
  { how: 'hidden', isShown: false, open: openHidden },
  { how: 'shown', isShown: true, open: openShown },
];

/** Tools and pages for which it makes a difference whether their tab is shown. */
const DIFFERENT_WHEN_SHOWN = /(navigate|click|type|press-key|take-screenshot|seen-tab|hard-pages)\.spec\.ts$/;

/**
 * The same tests in a tab that nobody sees, as agents have them, and in one that is shown. A tool reaches both in one way, so that in the short
 * form the first test is enough to show that it reaches the second, where that could differ at all.
 */
export const describeTabs = (toName: (how: TabKind['how']) => string, define: (tab: TabKind) => void): void => {
  for (const tab of TABS) {
    describe(toName(tab.how), () => {
      beforeEach(({ task, skip }) => {
        const isFirst = task === task.suite?.tasks[0] && DIFFERENT_WHEN_SHOWN.test(task.file.name);
        skip(!isWhole && tab.isShown && !isFirst, 'as in a hidden tab: npm run test:whole');
      });
      define(tab);
    });
  }
};
