/** The tasks in the background, wherever their cards have scrolled to: how many there are, and a stop button for each. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toDuration } from '#display/amounts.ts';
import { backgroundTasks, type SessionView, type ViewItem } from '#protocol/view.ts';
import { Icon } from './icons.tsx';
import { Sheet, useNow } from './parts.tsx';
import { useScene } from './scene.ts';

export const BackgroundTasks = ({ view }: { view: SessionView }): JSX.Element | null => {
  const { t } = useScene();
  const [isOpen, setOpen] = useState(false);
  const tasks = backgroundTasks(view);
  if (tasks.length === 0) return null;
  return (
    <>
      <button type="button" class="link background-count" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t('background_count', { count: tasks.length })}
      </button>
      {isOpen ? (
        <Sheet title={t('in_background')} onClose={() => setOpen(false)}>
          <ul class="list">
            {tasks.map((task) => (
              <Task key={task.itemId} task={task} />
            ))}
          </ul>
        </Sheet>
      ) : null}
    </>
  );
};

const Task = ({ task }: { task: ViewItem }): JSX.Element => {
  const { t, actions } = useScene();
  const now = useNow(true);
  const title = task.body.kind === 'tool' ? task.body.title : '';
  return (
    <li class="list-row background-task">
      <span class="list-text">
        <span class="list-title" title={title}>
          {title}
        </span>
        <span class="muted">{toDuration(now - task.at, t)}</span>
      </span>
      <button
        type="button"
        aria-label={t('labelled', { label: t('stop_task'), text: title })}
        onClick={() => void actions.stopTask(task.itemId)}
      >
        <Icon name="stop" />
        {t('stop')}
      </button>
    </li>
  );
};
