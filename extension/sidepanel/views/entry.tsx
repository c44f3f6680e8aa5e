/** One entry of the conversation. Drawn again only when the entry itself has changed. */
import { noticeText } from '#display/notice-text.ts';
import { toolSentence } from '#display/tool-line.ts';
import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { toDuration } from '#display/amounts.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { ItemBody, PlanEntry } from '#protocol/items.ts';
import { holds, isSameEntry, type Entry, type ItemEntry } from '../entries.ts';
import { AnsweredLine } from './answered.tsx';
import { Icon } from './icons.tsx';
import { PlaceContext, SoughtContext, useUnfolded } from './kept.ts';
import { Markdown } from './markdown.tsx';
import { memo } from './memo.ts';
import { AnswerActions, PromptActions } from './message-actions.tsx';
import { Quoting, Sentence, Spinner } from './parts.tsx';
import { ProofCard } from './proof-card.tsx';
import { useScene } from './scene.ts';
import { ToolCard } from './tool-card.tsx';
import { TurnEnd } from './turn-end.tsx';
import { Prompt, Queued, UnsentPrompt } from './user-prompt.tsx';

export interface EntryProps {
  readonly entry: Entry;
}

export const EntryView = memo(
  ({ entry }: EntryProps): JSX.Element => {
    const sought = useContext(SoughtContext);
    return (
      <PlaceContext.Provider value={entry.key}>
        <SoughtContext.Provider value={sought !== null && holds(entry, sought.itemId) ? sought : null}>
          {toView(entry)}
        </SoughtContext.Provider>
      </PlaceContext.Provider>
    );
  },
  (one, other) => isSameEntry(one.entry, other.entry),
);

const toView = (entry: Entry): JSX.Element => {
  switch (entry.type) {
    case 'item':
      return <ItemView entry={entry} />;
    case 'group':
      return <Group entries={entry.entries} />;
    case 'answered':
      return <AnsweredLine answered={entry.answered} hasTitle />;
    case 'turn-end':
      return <TurnEnd turn={entry.turn} isLast={entry.isLast} />;
    case 'queued':
      return <Queued turn={entry.turn} />;
    case 'unsent':
      return <UnsentPrompt unsent={entry.unsent} />;
  }
};

const ItemView = ({ entry }: { entry: ItemEntry }): JSX.Element | null => {
  const { item } = entry;
  const { body } = item;
  switch (body.kind) {
    case 'message':
      if (body.role === 'user') {
        const prompt = { text: body.text, attachments: body.attachments ?? [] };
        return (
          <Prompt text={prompt.text} attachments={prompt.attachments} sent={prompt.attachments}>
            <PromptActions prompt={prompt} turnId={item.turnId} />
          </Prompt>
        );
      }
      return body.text === '' ? null : (
        <article class="answer">
          <Markdown text={body.text} isComplete={item.status !== 'running'} />
          {item.status === 'running' ? null : <AnswerActions text={body.text} />}
        </article>
      );
    case 'thought':
      return <Thought text={body.text} isRunning={item.status === 'running'} lastedMs={(item.endedAt ?? item.at) - item.at} />;
    case 'tool':
      return (
        <ToolCard entry={entry} body={body}>
          {entry.children.map((child) => (
            <EntryView key={child.key} entry={child} />
          ))}
        </ToolCard>
      );
    case 'plan':
      return <PlanList entries={body.entries} />;
    case 'notice':
      return body.proof === undefined ? <Notice body={body} /> : <ProofCard body={body} proof={body.proof} />;
  }
};

const Thought = ({ text, isRunning, lastedMs }: { text: string; isRunning: boolean; lastedMs: number }): JSX.Element | null => {
  const { t } = useScene();
  const [isOpen, setOpen] = useUnfolded('all', false);
  if (text.trim() === '' && !isRunning) return null;
  const line = text.trim().split('\n').at(-1) ?? '';
  return (
    <section class="thought">
      <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="think" />
        <span class="tool-title">
          {isRunning ? t('thinking') : t('thought')}
          {isOpen || line === '' ? '' : ` · ${line.replaceAll(/[*_`#]/g, '')}`}
        </span>
        {isRunning ? <Spinner /> : lastedMs >= 1000 ? <span class="duration">{toDuration(lastedMs, t)}</span> : null}
        <Icon name="chevron" />
      </button>
      {isOpen ? (
        <div class="tool-body">
          <Markdown text={text} isComplete={!isRunning} />
        </div>
      ) : null}
    </section>
  );
};

const Group = ({ entries }: { entries: readonly ItemEntry[] }): JSX.Element => {
  const { t } = useScene();
  const [isOpen, setOpen] = useUnfolded('all', false);
  const names = entries
    .map(({ item }) => (item.body.kind === 'tool' ? (toolSentence(item.body, t, item.status) ?? item.body.title) : ''))
    .join(', ');
  return (
    <section class="tool tool-group tool-completed">
      <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="read" />
        <span class="tool-title" title={names}>
          <span class="tool-name">{t('looked', { count: entries.length })}</span>{' '}
          <span class="tool-sentence">
            <Quoting text={toVisible(names)} />
          </span>
        </span>
        <span class="outcome completed">
          <Icon name="check" />
        </span>
        <Icon name="chevron" />
      </button>
      {isOpen ? (
        <div class="nested">
          {entries.map((entry) => (
            <EntryView key={entry.key} entry={entry} />
          ))}
        </div>
      ) : null}
    </section>
  );
};

/** Steps of a plan with their marks. */
export const PlanList = ({ entries }: { entries: readonly PlanEntry[] }): JSX.Element => {
  const { t } = useScene();
  return (
    <div class="plan">
      <ol aria-label={t('plan')}>
        {entries.map((entry, index) => (
          <li key={index} class={entry.status}>
            <span class="plan-mark" role="img" aria-label={t(entry.status)}>
              {entry.status === 'completed' ? <Icon name="check" /> : null}
            </span>
            <span>{entry.content}</span>
          </li>
        ))}
      </ol>
    </div>
  );
};

const Notice = ({ body }: { body: Extract<ItemBody, { kind: 'notice' }> }): JSX.Element => {
  const { t } = useScene();
  return (
    <p class={`notice notice-${body.level}`} role={body.level === 'error' ? 'alert' : undefined}>
      <Icon name={body.level === 'info' ? 'info' : 'warning'} />
      <span>
        <Sentence text={noticeText(body, t)} />
        {body.code === undefined ? null : <span class="muted"> {body.code}</span>}
      </span>
    </p>
  );
};
