/** A tool call: one line that says what, how it went and how long; the rest unfolds. */
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { toDuration, toSize } from '#display/amounts.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { toPlainOutput } from '#display/plain-text.ts';
import { countChanges } from '#display/diff-lines.ts';
import { toolFault, toolHeadline, toolInput, toolName, toolTarget } from '#display/tool-line.ts';
import type { ItemBody, ItemImage, ItemStatus } from '#protocol/items.ts';
import type { ItemEntry } from '../entries.ts';
import { pictureUrl } from '../pictures.ts';
import { sizeOfBase64 } from '#extension/shared/base64.ts';
import { AnsweredLine } from './answered.tsx';
import { ChangeCount } from './diff.tsx';
import { FileCard } from './file-card.tsx';
import { Icon } from './icons.tsx';
import { useKept, useUnfolded } from './kept.ts';
import { LiveOutput } from './live-output.tsx';
import { Output } from './output.tsx';
import { Quoting, Spinner, useNow } from './parts.tsx';
import { useScene } from './scene.ts';

type ToolBody = Extract<ItemBody, { kind: 'tool' }>;

/** A small edit is shown without a click: it is what the user came for. */
const SMALL_EDIT_LINES = 24;

/** So many lines of a failed call are shown without a click. */
const TAIL_LINES = 5;

/** A clock for the first moments would only flicker. */
const QUIET_MS = 1500;

/** `children` is what a subagent did inside the call, already drawn. */
export const ToolCard = ({ entry, body, children }: { entry: ItemEntry; body: ToolBody; children: ComponentChildren }): JSX.Element => {
  const { t, actions } = useScene();
  const { item } = entry;
  const changes = body.changes ?? [];
  const { added, removed } = countChanges(changes);
  const changed = added + removed;
  const input = toolInput(body);
  const fault = item.status === 'failed' ? toolFault(body, t) : null;
  // Of an edit that was made its lines say all; what else the tool says of it is for the model.
  const isTold = changed > 0 && item.status === 'completed';
  const headline = toolHeadline(body, t, item.status);
  const [isOpen, setOpen] = useUnfolded('all', opensByItself(item.status, changed, entry.children.length > 0));
  return (
    <section class={`tool tool-${item.status}${entry.isWaiting ? ' tool-waiting' : ''}`}>
      <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={body.toolKind} />
        <span class="tool-title" title={body.title}>
          {headline === null ? (
            <>
              <span class="tool-name">{toVisible(toolName(body, t))}</span> <bdi>{toVisible(toolTarget(body))}</bdi>
            </>
          ) : (
            <span class="tool-sentence">
              <Quoting text={toVisible(headline)} />
            </span>
          )}
        </span>
        {changed === 0 ? null : <ChangeCount added={added} removed={removed} />}
        <Outcome entry={entry} />
        <Icon name="chevron" />
      </button>
      {item.status === 'running' && body.isBackground === true ? (
        <p class="task-line">
          <span class="tag">{t('in_background')}</span>
          <button type="button" onClick={() => void actions.stopTask(item.itemId)}>
            <Icon name="stop" />
            {t('stop_task')}
          </button>
        </p>
      ) : null}
      {entry.answered.map((answered) => (
        <AnsweredLine key={answered.requestId} answered={answered} />
      ))}
      {!isOpen && fault !== null ? <p class="tool-fault">{fault}</p> : null}
      {!isOpen && item.status === 'failed' && fault === null && body.text.trim() !== '' ? (
        <div class="tool-body">
          <Output text={toPlainOutput(lastLines(body.text))} label={t('output')} output={lastLines(body.text)} />
        </div>
      ) : null}
      {isOpen ? (
        <div class="tool-body">
          {input === '' ? null : <Output text={toVisible(input)} label={t('input')} copied={input.replace(/^\$ /, '')} />}
          {changes.map((change, index) => (
            <FileCard key={index} change={change} isDone={item.status === 'completed'} />
          ))}
          {body.text === '' || isTold ? null : <Printed text={body.text} />}
          {item.status === 'running' && body.isBackground === true ? <LiveOutput itemId={item.itemId} /> : null}
          {isEmpty(body) && item.status !== 'running' && entry.children.length === 0 ? <p class="muted">{t('no_output')}</p> : null}
        </div>
      ) : null}
      {(body.images ?? []).map((image, index) => (
        <Picture key={index} image={image} index={index} title={body.title} />
      ))}
      {isOpen && entry.children.length > 0 ? <div class="nested">{children}</div> : null}
    </section>
  );
};

/** What a command has printed, in its colours; it is copied as plain text. */
const Printed = ({ text }: { text: string }): JSX.Element => {
  const { t } = useScene();
  const plain = toPlainOutput(text);
  return <Output text={plain} label={t('output')} copied={plain} output={text} />;
};

const opensByItself = (status: ItemStatus, changedLines: number, hasChildren: boolean): boolean =>
  (changedLines > 0 && changedLines <= SMALL_EDIT_LINES) || (status === 'running' && hasChildren);

/** How a failure ends tells why, nearly always. */
const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');

const isEmpty = (body: ToolBody): boolean => body.text === '' && (body.changes ?? []).length === 0 && (body.images ?? []).length === 0;

const Outcome = ({ entry }: { entry: ItemEntry }): JSX.Element => {
  const { t } = useScene();
  const { item, isWaiting, waitedMs } = entry;
  const isRunning = item.status === 'running';
  const now = useNow(isRunning && !isWaiting && waitedMs !== null);
  const lastedMs = waitedMs === null ? null : (item.endedAt ?? now) - item.at - waitedMs;
  if (isWaiting) return <span class="outcome waiting">{t('waiting')}</span>;
  const exitCode = item.body.kind === 'tool' ? item.body.exitCode : null;
  return (
    <span class={`outcome ${item.status}`}>
      {lastedMs === null || (isRunning && lastedMs < QUIET_MS) ? null : <span class="duration">{toDuration(lastedMs, t)}</span>}
      {isRunning ? <Spinner /> : null}
      <span class="outcome-word">
        {item.status === 'completed' ? <Icon name="check" /> : null}
        {item.status === 'failed' ? <Icon name="close" /> : null}
        <span class={item.status === 'completed' || isRunning ? 'spoken' : ''}>
          {item.status === 'failed' && typeof exitCode === 'number' && exitCode !== 0 ? t('exit_code', { code: exitCode }) : t(item.status)}
        </span>
      </span>
    </span>
  );
};

const Picture = ({ image, index, title }: { image: ItemImage; index: number; title: string }): JSX.Element | null => {
  const { t } = useScene();
  const [isLarge, setLarge] = useKept('open', `picture ${index}`, false);
  const url = useMemo(() => pictureUrl(image), [image]);
  if (url === null) return <p class="muted">{t('picture_not_shown', { size: toSize(sizeOfBase64(image.dataBase64)) })}</p>;
  return (
    <button type="button" class={isLarge ? 'picture large' : 'picture'} aria-expanded={isLarge} onClick={() => setLarge(!isLarge)}>
      <img src={url} alt={t('image_of', { title })} loading="lazy" />
    </button>
  );
};
