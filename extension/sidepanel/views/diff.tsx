/** The changes of an edit, one unified diff per file. */
import { Fragment, type JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { diffOf, type DiffLine } from '#display/diff-lines.ts';
import { changedFileName, withoutLines } from '#display/work-words.ts';
import { isChinese } from '#display/words.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { FileChange } from '#protocol/items.ts';
import type { ChangedFile } from '#protocol/work.ts';
import { lineComment } from '../line-comment.ts';
import { toShortPath } from '../text.ts';
import { useKept, useUnfolded } from './kept.ts';
import { useScene } from './scene.ts';
import { TrustedAct } from './trusted-act.tsx';

/** Lines of one file that are drawn before the user asks for the rest. */
const FIRST_LINES = 80;

const signs = { add: '+', remove: '−', same: ' ', hunk: '⋯', note: ' ' } as const;

export interface DiffProps {
  readonly change: FileChange;
  /** Shows the whole path, which is for places where the user decides about it. */
  readonly isWholePath?: boolean;
  /** Whether a line can be commented on, to the agent. */
  readonly canComment?: boolean;
  /** Takes one part back, by its place among the parts; none where that cannot be. */
  readonly onRevertHunk?: ((index: number) => Promise<void>) | undefined;
}

export const Diff = ({ change, isWholePath = false, canComment = false, onRevertHunk }: DiffProps): JSX.Element => {
  const { t } = useScene();
  const [isWhole, setWhole] = useUnfolded(`lines of ${change.path}`, false);
  const { lines, added, removed } = diffOf(change);
  const shown = isWhole ? lines : lines.slice(0, FIRST_LINES);
  const toPath = isWholePath ? String : toShortPath;
  const comments = useComments(change.path, canComment ? shown : []);
  let hunks = -1;
  return (
    <figure class="diff">
      <figcaption title={change.path}>
        <span class={isWholePath ? 'path whole' : 'path'}>
          {toPath(change.path)}
          {change.movedTo === undefined ? null : ` → ${toPath(change.movedTo)}`}
        </span>
        <ChangeCount added={added} removed={removed} />
      </figcaption>
      <div class="diff-lines" tabIndex={0} role="group" aria-label={change.path} onKeyDown={comments.onKeyDown}>
        <div>
          {shown.map((line, index) => {
            if (line.type === 'hunk') hunks += 1;
            const hunk = hunks;
            return (
              <Fragment key={index}>
                <div class={`diff-${line.type}`}>
                  {comments.numberOf(line, index) ?? <span class="diff-number">{line.line ?? ''}</span>}
                  <span class="diff-sign">{signs[line.type]}</span>
                  {line.type === 'hunk' && onRevertHunk !== undefined ? (
                    <TrustedAct label={t('revert_part')} question={t('revert_part_sure')} hint="" work={() => onRevertHunk(hunk)} />
                  ) : null}
                  <span class="diff-text">{line.text}</span>
                </div>
                {comments.formAt(index)}
              </Fragment>
            );
          })}
        </div>
      </div>
      {comments.told}
      {shown.length === lines.length ? null : (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {t('show_all', { size: lines.length - shown.length })}
        </button>
      )}
    </figure>
  );
};

interface Comments {
  /** The number of a line as a button that opens its comment; null where none can be written. */
  readonly numberOf: (line: DiffLine, index: number) => JSX.Element | null;
  readonly formAt: (index: number) => JSX.Element | null;
  /** Says that the last one is in the prompt. */
  readonly told: JSX.Element;
  readonly onKeyDown: (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => void;
}

/** Comments on lines: one stop for the Tab key, and the arrow keys go from line to line. */
const useComments = (path: string, lines: readonly DiffLine[]): Comments => {
  const { t, actions } = useScene();
  const [draft, setDraft] = useKept('comment', `comment in ${path}`, null);
  const [current, setCurrent] = useState<number | null>(null);
  const [isTold, setTold] = useState(false);
  /** The number that was pressed. */
  const button = useRef<HTMLElement | null>(null);
  const first = lines.findIndex(isCommented);
  const close = (): void => {
    setDraft(null);
    button.current?.focus();
  };
  return {
    numberOf: (line, index) =>
      lines[index] === undefined || !isCommented(line) ? null : (
        <button
          type="button"
          class="diff-number"
          tabIndex={index === (current ?? first) ? 0 : -1}
          aria-label={t('comment_line', { line: line.line ?? index })}
          title={t('line_comment')}
          aria-expanded={draft?.line === index}
          onFocus={() => setCurrent(index)}
          onClick={({ currentTarget }) => {
            button.current = currentTarget;
            if (draft?.line !== index) setDraft({ line: index, text: '' });
            setTold(false);
          }}
        >
          {line.line ?? '·'}
        </button>
      ),
    formAt: (index) => {
      const line = lines[index];
      if (draft?.line !== index || line === undefined) return null;
      const add = (comment: string): void => {
        if (comment.trim() === '') return;
        actions.addComment(lineComment(path, line, comment));
        setTold(true);
        close();
      };
      return (
        <CommentForm
          isPressed={button.current !== null}
          text={draft.text}
          onText={(text) => setDraft({ line: index, text })}
          onAdd={add}
          onClose={close}
        />
      );
    },
    told: (
      <p class={isTold ? 'muted small-text' : 'spoken'} role="status">
        {isTold ? t('line_comment_added') : ''}
      </p>
    ),
    onKeyDown: (event) => {
      const step = steps.get(event.key);
      if (step === undefined || !(event.target instanceof HTMLButtonElement)) return;
      const numbers = [...event.currentTarget.querySelectorAll<HTMLElement>('button.diff-number')];
      const next = numbers[numbers.indexOf(event.target) + step];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    },
  };
};

const steps: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
]);

const isCommented = ({ type }: DiffLine): boolean => type === 'add' || type === 'remove' || type === 'same';

const CommentForm = ({
  text,
  onText,
  onAdd,
  onClose,
  isPressed,
}: {
  /** Whether the person has just opened it, and it did not only come back into sight. */
  isPressed: boolean;
  text: string;
  onText: (text: string) => void;
  onAdd: (comment: string) => void;
  onClose: () => void;
}): JSX.Element => {
  const { t } = useScene();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isPressed) field.current?.focus();
  }, []);
  return (
    <form
      class="diff-comment"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd(text);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        // Here it closes the comment and neither the sheet nor the agent.
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <input
        ref={field}
        class="field"
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        dir="auto"
        maxLength={2_000}
        placeholder={t('line_comment')}
        aria-label={t('line_comment')}
      />
      <button type="submit" class="small">
        {t('line_comment_add')}
      </button>
    </form>
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

/** A file among others that were changed, with how many lines. */
export const ChangedFileLine = ({ file }: { file: ChangedFile }): JSX.Element => {
  const { t } = useScene();
  const size = withoutLines(file, isChinese(t) ? 'zh' : 'en');
  return (
    <>
      <code>{toVisible(changedFileName(file))}</code>{' '}
      {size === null ? <ChangeCount added={file.additions} removed={file.deletions} /> : <span class="muted small-text">{size}</span>}
    </>
  );
};
