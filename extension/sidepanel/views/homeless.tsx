/** Says that the project of a session was forgotten, with the way to give it one again. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { Sheet } from './parts.tsx';
import { ProjectPicker } from './project-picker.tsx';
import { useScene } from './scene.ts';

export const Homeless = (): JSX.Element => {
  const { t } = useScene();
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="notice notice-warning homeless" role="status">
      <Icon name="warning" />
      <span>{t('project_gone')}</span>
      <button type="button" class="primary" onClick={() => setOpen(true)}>
        {t('choose_project_again')}
      </button>
      {isOpen ? (
        <Sheet title={t('choose_project_again')} onClose={() => setOpen(false)}>
          <ProjectPicker current={null} onDone={() => setOpen(false)} />
        </Sheet>
      ) : null}
    </div>
  );
};
