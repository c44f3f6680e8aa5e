/** A view whose code is loaded when it is first shown. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { isGone } from '../missing-part.ts';
import { ErrorText, Spinner } from './parts.tsx';
import { useScene } from './scene.ts';

/** `load` must be the same function each time. */
export const Lazy = <P extends object>({ load, props }: { load: () => Promise<ComponentType<P>>; props: P }): JSX.Element => {
  const [View, setView] = useState<ComponentType<P> | null>(null);
  const [error, setError] = useState<ErrorBody | 'gone' | null>(null);
  useEffect(() => {
    load().then(
      (view) => setView(() => view),
      (fault: unknown) => setError(isGone(fault) ? 'gone' : toErrorBody(fault)),
    );
  }, [load]);
  if (error === 'gone') return <Gone />;
  if (error !== null) return <ErrorText error={error} />;
  return View === null ? <Spinner /> : <View {...props} />;
};

const Gone = (): JSX.Element => {
  const { t } = useScene();
  return (
    <div class="error-text" role="alert">
      <p>{t('part_gone')}</p>
      <p class="remedy">{t('part_gone_how')}</p>
      <button type="button" class="small" onClick={() => location.reload()}>
        {t('reload_panel')}
      </button>
    </div>
  );
};
