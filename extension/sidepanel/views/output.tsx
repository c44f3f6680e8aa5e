/** Long plain text: the first part, the rest on demand. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { toCount } from '#display/amounts.ts';
import { clip } from '../text.ts';
import { useScene } from './scene.ts';

const FIRST_UNITS = 4_000;
/** The most that a single element is given; a longer text is better read in the log file. */
const MOST_UNITS = 400_000;

export const Output = ({ text, label }: { text: string; label: string }): JSX.Element => {
  const { t } = useScene();
  const [isWhole, setWhole] = useState(false);
  const { shown, hiddenUnits } = clip(text, isWhole ? MOST_UNITS : FIRST_UNITS);
  return (
    <>
      <pre class="output" tabIndex={0} aria-label={label}>
        {shown}
      </pre>
      {hiddenUnits === 0 || isWhole ? null : (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {t('show_all', { size: toCount(hiddenUnits) })}
        </button>
      )}
    </>
  );
};
