/** What a command in the background has written so far. It is read again and again, but only while it is visible. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { toSize } from '#display/amounts.ts';
import { toPlainOutput } from '#display/plain-text.ts';
import type { TaskOutput } from '#protocol/api.ts';
import type { ItemId } from '#protocol/ids.ts';
import { useScene } from './scene.ts';

const EVERY_MS = 2000;

export const LiveOutput = ({ itemId }: { itemId: ItemId }): JSX.Element => {
  const { t, actions } = useScene();
  const [output, setOutput] = useState<TaskOutput | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const lines = useRef<HTMLPreElement>(null);

  useEffect(() => {
    let isGone = false;
    let isInView = false;
    let isAsking = false;
    const ask = async (): Promise<void> => {
      if (!isInView || isAsking || document.visibilityState === 'hidden') return;
      isAsking = true;
      const answer = await actions.readTask(itemId);
      isAsking = false;
      if (!isGone && answer !== null) setOutput(answer);
    };
    const observer = new IntersectionObserver((entries) => {
      isInView = entries.at(-1)?.isIntersecting ?? false;
      void ask();
    });
    if (frame.current !== null) observer.observe(frame.current);
    const timer = setInterval(() => void ask(), EVERY_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
      observer.disconnect();
    };
  }, [itemId, actions]);

  useLayoutEffect(() => {
    if (lines.current !== null) lines.current.scrollTop = lines.current.scrollHeight;
  }, [output]);

  const text = output === null ? '' : toPlainOutput(output.text);
  return (
    <div ref={frame}>
      {output?.isTruncated === true ? <p class="muted small-text">{t('output_end', { size: toSize(output.totalBytes) })}</p> : null}
      {text === '' ? null : (
        <pre ref={lines} class="output" tabIndex={0} aria-label={t('live_output')}>
          {text}
        </pre>
      )}
    </div>
  );
};
