/** Long plain text: the first part, the rest on demand. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toCount } from '#display/amounts.ts';
import { clip } from '../text.ts';
import { CopyButton } from './parts.tsx';
import { useScene } from './scene.ts';

const FIRST_UNITS = 4_000;
/** The most that a single element is given; a longer text is better read in the log file. */
const MOST_UNITS = 400_000;

/** `copied` is what its button copies; without it there is no button. */
export const Output = ({ text, label, copied }: { text: string; label: string; copied?: string }): JSX.Element => {
  const { t } = useScene();
  const [isWhole, setWhole] = useState(false);
  const { shown, hiddenUnits } = clip(text, isWhole ? MOST_UNITS : FIRST_UNITS);
  return (
    <>
      <div class="output-frame">
        <pre class="output" tabIndex={0} aria-label={label}>
          {shown}
        </pre>
        {copied === undefined ? null : <CopyButton text={copied} />}
      </div>
      {hiddenUnits === 0 || isWhole ? null : (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {t('show_all', { size: toCount(hiddenUnits) })}
        </button>
      )}
    </>
  );
};
