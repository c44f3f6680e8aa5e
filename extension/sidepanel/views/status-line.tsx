/** One line above the composer: what the agent is at, and what the session has used. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { activityText, usageTexts } from '#display/activity.ts';
import { toCount, toDuration } from '#display/amounts.ts';
import { labelText } from '#display/engines.ts';
import { waitedMs } from '#display/waiting.ts';
import type { Usage } from '#protocol/events.ts';
import type { PlanEntry } from '#protocol/items.ts';
import { backgroundTasks, runningTurn, type SessionView, type ViewTurn } from '#protocol/view.ts';
import type { Translate } from '../i18n.ts';
import type { Selected } from '../selected.ts';
import { BackgroundTasks } from './background-tasks.tsx';
import { PlanList } from './entry.tsx';
import { Icon } from './icons.tsx';
import { Spinner, useNow } from './parts.tsx';
import { useScene } from './scene.ts';

export const StatusLine = ({
  isEscapeAgain,
}: {
  /** Whether the next Escape stops the agent. */
  isEscapeAgain: ReadonlySignal<boolean>;
}): JSX.Element | null => {
  const { t, shown } = useScene();
  const { view, isRunning } = shown.selected;
  const now = useNow(isRunning);
  if (view === null) return null;
  const turn = runningTurn(view);
  const usage = usageTexts(t, view.usage);
  if (turn === undefined && usage.length === 0 && backgroundTasks(view).length === 0) return null;
  return (
    <div class="status-line">
      <span class="status-activity">
        {turn === undefined ? null : (
          <>
            {view.status === 'waiting' ? <Icon name="shield" /> : <Spinner />}
            <span>{isEscapeAgain.value ? t('escape_again') : toActivity(shown.selected, view, t, now)}</span>
            {/* It does not work meanwhile, and beside these words its time would be read as theirs. */}
            {view.status === 'waiting' ? null : <span class="duration">{toDuration(workedMs(view, turn, now), t)}</span>}
          </>
        )}
      </span>
      <span class="usage" title={toTokens(view.usage, t)}>
        <BackgroundTasks view={view} />
        {usage.join(' · ')}
      </span>
    </div>
  );
};

/** How long the agent has worked. The time in which it waited for the person is the person's. */
const workedMs = (view: SessionView, { turnId, startedAt }: ViewTurn, now: number): number => {
  const requests = [...view.requests, ...view.answered].filter((request) => request.turnId === turnId);
  return now - startedAt - waitedMs(requests, { from: startedAt, to: now });
};

/** What the agent is at. A stop that was asked for here is said before the log says so. */
export const toActivity = (selected: Selected, view: SessionView, t: Translate, now: number): string =>
  selected.isStopping ? t('stopping') : activityText(t, view, labelText(selected.engine ?? { label: view.engine }, t), now);

const toTokens = ({ inputTokens = 0, outputTokens = 0 }: Usage, t: Translate): string | undefined =>
  inputTokens + outputTokens === 0 ? undefined : t('tokens', { input: toCount(inputTokens), output: toCount(outputTokens) });

/** The plan of the running turn, pinned: the step it is at, the rest on demand. */
export const PinnedPlan = (): JSX.Element | null => {
  const { t, shown } = useScene();
  const [isOpen, setOpen] = useState(false);
  const entries = useComputed(() => currentPlan(shown.selected.view)).value;
  if (entries.length === 0) return null;
  const done = entries.filter((entry) => entry.status === 'completed').length;
  const current = entries.find((entry) => entry.status === 'in_progress') ?? entries.find((entry) => entry.status === 'pending');
  return (
    <section class="pinned-plan">
      <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="list" />
        <span class="tool-title">{current?.content ?? t('plan')}</span>
        <span class="muted" title={t('plan_progress', { done, count: entries.length })}>
          {done}/{entries.length}
        </span>
        <Icon name="chevron" />
      </button>
      {isOpen ? <PlanList entries={entries} /> : null}
    </section>
  );
};

const currentPlan = (view: SessionView | null): readonly PlanEntry[] => {
  const turn = view === null ? undefined : runningTurn(view);
  const plan = view?.items.findLast((item) => item.turnId === turn?.turnId && item.body.kind === 'plan');
  return plan?.body.kind === 'plan' ? plan.body.entries : noPlan;
};

const noPlan: readonly PlanEntry[] = [];
