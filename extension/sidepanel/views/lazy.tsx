/** A view whose code is loaded when it is first shown. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { ErrorText, Spinner } from './parts.tsx';

/** `load` must be the same function each time. */
export const Lazy = <P extends object>({ load, props }: { load: () => Promise<ComponentType<P>>; props: P }): JSX.Element => {
  const [View, setView] = useState<ComponentType<P> | null>(null);
  const [error, setError] = useState<ErrorBody | null>(null);
  useEffect(() => {
    load().then(
      (view) => setView(() => view),
      // The extension was replaced while the panel was open, and the file has another name now.
      (fault: unknown) => setError(toErrorBody(fault)),
    );
  }, [load]);
  if (error !== null) return <ErrorText error={error} />;
  return View === null ? <Spinner /> : <View {...props} />;
};
