/** Runs an action of a form that may fail. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import { ErrorText } from './parts.tsx';

/** Runs the action, and shows an error below it. */
export const Attempt = ({
  work,
  children,
}: {
  work: () => Promise<void>;
  children: (run: () => void, isBusy: boolean) => ComponentChildren;
}): JSX.Element => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorBody | null>(null);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(toErrorBody(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="setup-part">
      {children(() => void run(), isBusy)}
      {error === null ? null : (
        <div class="field-error" role="alert">
          <ErrorText error={error} />
        </div>
      )}
    </div>
  );
};
