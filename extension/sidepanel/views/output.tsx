/** Long plain text: the first part, the rest on demand. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { toCount } from '#display/amounts.ts';
import { toColouredSpans } from '#display/terminal-colours.ts';
import { clip } from '../text.ts';
import { useUnfolded } from './kept.ts';
import { CopyButton } from './parts.tsx';
import { useScene } from './scene.ts';

const FIRST_UNITS = 4_000;
/** The most that a single element is given; a longer text is better read in the log file. */
const MOST_UNITS = 400_000;

/** `copied` is what its button copies; without it there is no button. `output` is the same text as the program printed it, with its colours. */
export const Output = ({ text, label, copied, output }: { text: string; label: string; copied?: string; output?: string }): JSX.Element => {
  const { t } = useScene();
  const [isWhole, setWhole] = useUnfolded(label, false);
  const { shown, hiddenUnits } = clip(text, isWhole ? MOST_UNITS : FIRST_UNITS);
  return (
    <>
      <div class="output-frame">
        <pre class="output" tabIndex={0} aria-label={label}>
          {output === undefined ? shown : <Coloured output={output} units={shown.length} />}
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

const Coloured = ({ output, units }: { output: string; units: number }): JSX.Element => {
  const spans = useMemo(() => toColouredSpans(output, units), [output, units]);
  return (
    <>
      {spans.map(({ text, hue, isBold, isFaint, isItalic, isUnderlined }, index) => {
        const names = [
          ...(hue === 'plain' ? [] : [`hue-${hue}`]),
          ...(isBold ? ['bold'] : []),
          ...(isFaint ? ['faint'] : []),
          ...(isItalic ? ['italic'] : []),
          ...(isUnderlined ? ['underlined'] : []),
        ];
        return names.length === 0 ? (
          text
        ) : (
          <span key={index} class={names.join(' ')}>
            {text}
          </span>
        );
      })}
    </>
  );
};
