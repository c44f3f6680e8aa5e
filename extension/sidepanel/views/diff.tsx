/** The changes of an edit, one unified diff per file. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { diffOf } from '#display/diff-lines.ts';
import type { FileChange } from '#protocol/items.ts';
import { toShortPath } from '../text.ts';
import { useScene } from './scene.ts';

/** Lines of one file that are drawn before the user asks for the rest. */
const FIRST_LINES = 80;

const signs = { add: '+', remove: '−', same: ' ', hunk: '⋯', note: ' ' } as const;

/** `isWholePath` shows the whole path, which is for places where the user decides about it. */
export const Diff = ({ change, isWholePath = false }: { change: FileChange; isWholePath?: boolean }): JSX.Element => {
  const { t } = useScene();
  const [isWhole, setWhole] = useState(false);
  const { lines, added, removed } = diffOf(change);
  const shown = isWhole ? lines : lines.slice(0, FIRST_LINES);
  const toPath = isWholePath ? String : toShortPath;
  return (
    <figure class="diff">
      <figcaption title={change.path}>
        <span class={isWholePath ? 'path whole' : 'path'}>
          {toPath(change.path)}
          {change.movedTo === undefined ? null : ` → ${toPath(change.movedTo)}`}
        </span>
        <ChangeCount added={added} removed={removed} />
      </figcaption>
      <div class="diff-lines" tabIndex={0} role="group" aria-label={change.path}>
        <div>
          {shown.map((line, index) => (
            <div key={index} class={`diff-${line.type}`}>
              <span class="diff-number">{line.line ?? ''}</span>
              <span class="diff-sign">{signs[line.type]}</span>
              <span class="diff-text">{line.text}</span>
            </div>
          ))}
        </div>
      </div>
      {shown.length === lines.length ? null : (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {t('show_all', { size: lines.length - shown.length })}
        </button>
      )}
    </figure>
  );
};

export const ChangeCount = ({ added, removed }: { added: number; removed: number }): JSX.Element => {
  const { t } = useScene();
  return (
    <span class="change-count" title={t('lines_changed', { added, removed })}>
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
};
