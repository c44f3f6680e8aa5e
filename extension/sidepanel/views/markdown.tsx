/** Markdown that may still be growing: each block is drawn once and again only when its own text changes. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { BlockReader, type Block, type Blocks } from '#display/blocks.ts';
import { toHtml } from '../blocks.ts';
import { drawDiagrams } from '../diagrams.ts';
import type { Translate } from '../i18n.ts';
import { drawMaths } from '../maths.ts';
import { sanitize } from '../sanitize.ts';
import { memo } from './memo.ts';
import { COPIED_MS } from './parts.tsx';
import { useScene } from './scene.ts';

export const Markdown = ({ text, isComplete }: { text: string; isComplete: boolean }): JSX.Element => {
  const { t } = useScene();
  const { blocks, revision } = useBlocks(text, isComplete);
  return (
    <div class="markdown" onClick={onCodeButton}>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} isOpen={!isComplete && index === blocks.length - 1} revision={revision} t={t} />
      ))}
    </div>
  );
};

/** So many times as long as it took to draw a long block again, it is left as it is. */
const REST = 8;
const LONG_UNITS = 8_192;

/**
 * The blocks to draw. A long table is drawn whole for each piece that is added to it: such a text grows in larger steps, any other at once.
 */
const useBlocks = (text: string, isComplete: boolean): Blocks => {
  const reader = useRef<BlockReader>(null);
  reader.current ??= new BlockReader();
  const pace = useRef<{ readonly text: string; readonly restUntil: number } | null>(null);
  const [, redraw] = useState(0);
  const startedAt = performance.now();
  const { current: last } = pace;
  const waitMs = last === null || isComplete ? 0 : last.restUntil - startedAt;
  const shown = last === null || waitMs <= 0 ? text : last.text;
  const read = reader.current.read(shown, isComplete);
  const isLong = (read.blocks.at(-1)?.raw.length ?? 0) > LONG_UNITS;
  useLayoutEffect(() => {
    if (waitMs > 0) {
      const timer = setTimeout(() => redraw((count) => count + 1), waitMs);
      return () => clearTimeout(timer);
    }
    if (last?.text === shown) return undefined;
    const endedAt = performance.now();
    // What stood there already when it was first drawn is not drawn again.
    pace.current = { text: shown, restUntil: isLong && last !== null ? endedAt + REST * (endedAt - startedAt) : endedAt };
    return undefined;
  });
  return read;
};

interface BlockProps {
  readonly block: Block;
  readonly isOpen: boolean;
  readonly revision: number;
  readonly t: Translate;
}

const BlockView = memo(
  ({ block, isOpen, t }: BlockProps): JSX.Element => {
    const place = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => {
      const fragment = sanitize(toHtml(block, isOpen));
      for (const pre of fragment.querySelectorAll('pre')) frameCode(pre, t);
      for (const table of fragment.querySelectorAll('table')) wrapIn('table-scroll', table);
      place.current?.replaceChildren(fragment);
      if (place.current === null) return;
      void drawMaths(place.current);
      // A source that still grows would be another diagram with each line.
      if (!isOpen) void drawDiagrams(place.current, t);
    }, [block, isOpen, t]);
    return <div ref={place} class="block" dir="auto" />;
  },
  (one, other) => one.block.raw === other.block.raw && one.isOpen === other.isOpen && one.revision === other.revision && one.t === other.t,
);

const wrapIn = (className: string, element: Element): HTMLDivElement => {
  const frame = document.createElement('div');
  frame.className = className;
  element.replaceWith(frame);
  frame.append(element);
  return frame;
};

/** Gives a code block its bar: language, wrap, copy. Made after sanitising, so no foreign markup can pose as it. */
const frameCode = (pre: HTMLPreElement, t: Translate): void => {
  const frame = wrapIn('code', pre);
  pre.tabIndex = 0;
  const bar = document.createElement('div');
  bar.className = 'code-bar';
  const language = document.createElement('span');
  language.textContent = /language-(\S+)/.exec(pre.querySelector('code')?.className ?? '')?.[1] ?? '';
  const wrap = makeButton('wrap', t('wrap'));
  wrap.ariaPressed = 'false';
  bar.append(language, wrap, makeButton('copy', t('copy'), t('copied')));
  frame.prepend(bar);
};

const makeButton = (action: string, label: string, doneLabel = label): HTMLButtonElement => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'small';
  button.dataset['action'] = action;
  button.dataset['label'] = label;
  button.dataset['done'] = doneLabel;
  button.textContent = label;
  return button;
};

const onCodeButton = (event: MouseEvent): void => {
  if (!(event.target instanceof HTMLButtonElement)) return;
  const button = event.target;
  const frame = button.closest('.code');
  if (button.dataset['action'] === 'wrap') button.ariaPressed = String(frame?.classList.toggle('wrapped'));
  if (button.dataset['action'] !== 'copy') return;
  const code = frame?.querySelector('pre')?.textContent ?? '';
  void navigator.clipboard.writeText(code.replace(/\n$/, '')).then(() => {
    button.textContent = button.dataset['done'] ?? '';
    setTimeout(() => (button.textContent = button.dataset['label'] ?? ''), COPIED_MS);
  });
};
