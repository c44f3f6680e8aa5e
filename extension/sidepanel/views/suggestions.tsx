/** The list above the composer: files, parts of the page and tabs, commands or skills, while their sign and some letters are typed. */
import type { JSX, RefObject } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type { fuzzy } from '#display/fuzzy.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { OpenTab } from '#extension/shared/capture.ts';
import { CaptureKind } from '#extension/shared/messages.ts';
import type { CommandInfo } from '#protocol/engines.ts';
import { mentionAt, toFileWord, toSkillWord, toTabPlace, withWord, type Mention, type MentionKind } from '../mention.ts';
import type { Selected } from '../selected.ts';
import { captureIcons } from './context-menu.tsx';
import { Icon, type IconName } from './icons.tsx';
import { useScene } from './scene.ts';
import { typeInto } from './type-into.ts';

/** As many as a person looks over; more letters find the others. */
const MOST = 40;

interface Suggestion {
  readonly key: string;
  readonly icon: IconName;
  readonly title: string;
  readonly hint: string;
  /** What takes the place of the letters. */
  readonly word: string;
  readonly attach?: { readonly kind: CaptureKind; readonly tabId?: number };
}

export interface Suggestions {
  /** Null while there is nothing to choose. */
  readonly list: JSX.Element | null;
  /** What the field tells a screen reader about the list. */
  readonly attributes: { readonly 'aria-controls'?: string; readonly 'aria-activedescendant'?: string };
  /** The caret has moved, or the text has changed. */
  readonly look: () => void;
  readonly close: () => void;
  /** True when the key was meant for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

export const useSuggestions = (options: {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly selected: Selected;
  readonly onTake: (kind: CaptureKind, tabId?: number) => void;
}): Suggestions => {
  const { field, text, selected, onTake } = options;
  const id = useId();
  const [mention, setMention] = useState<Mention | null>(null);
  const [index, setIndex] = useState(0);
  const known = useKnown(mention, selected);
  const find = useSearch();
  const found = mention === null || find === null ? [] : find(mention.query, known, toText, MOST);

  const look = (): void => {
    const area = field.current;
    const next = area === null || area.selectionStart !== area.selectionEnd ? null : mentionAt(area.value, area.selectionStart);
    if (next?.query !== mention?.query || next?.start !== mention?.start) setIndex(0);
    setMention(next);
  };

  const choose = (suggestion: Suggestion): void => {
    if (mention === null) return;
    const next = withWord(text, mention, suggestion.word);
    // At once, the caret too, after the word: what is typed before the next drawing comes behind it.
    if (field.current !== null) typeInto(field.current, mention.start, mention.end, next.text.slice(mention.start, next.caret));
    setMention(null);
    if (suggestion.attach !== undefined) onTake(suggestion.attach.kind, suggestion.attach.tabId);
  };

  const onKey = (event: KeyboardEvent): boolean => {
    if (found.length === 0 || event.isComposing) return false;
    const steps: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const current = found[index];
    if (step !== undefined) setIndex((index + step + found.length) % found.length);
    else if (event.key === 'Escape') setMention(null);
    else if ((event.key === 'Enter' || event.key === 'Tab') && current !== undefined && !event.shiftKey) choose(current);
    else return false;
    event.preventDefault();
    // Here Escape closes the list and does not stop the agent.
    event.stopPropagation();
    return true;
  };

  const isOpen = found.length > 0;
  return {
    list: isOpen ? <List id={id} kind={mention?.kind ?? 'file'} found={found} index={index} onChoose={choose} /> : null,
    attributes: isOpen ? { 'aria-controls': id, 'aria-activedescendant': `${id}-${index}` } : {},
    look,
    close: () => setMention(null),
    onKey,
  };
};

const List = ({
  id,
  kind,
  found,
  index,
  onChoose,
}: {
  id: string;
  kind: MentionKind;
  found: readonly Suggestion[];
  index: number;
  onChoose: (suggestion: Suggestion) => void;
}): JSX.Element => {
  const { t } = useScene();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[index]?.scrollIntoView({ block: 'nearest' }), [index]);
  return (
    <ul ref={list} id={id} class="suggestions" role="listbox" aria-label={t(`mention_${kind}`)}>
      {found.map((suggestion, at) => (
        <li
          key={suggestion.key}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === index}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
        >
          <Icon name={suggestion.icon} />
          <span class="suggestion-title">{toVisible(suggestion.title)}</span>
          <span class="suggestion-hint">{toVisible(suggestion.hint)}</span>
        </li>
      ))}
    </ul>
  );
};

/** The search of names, which is loaded once the panel is drawn; null until it is there. */
const useSearch = (): typeof fuzzy | null => {
  const [search, setSearch] = useState<{ readonly fuzzy: typeof fuzzy } | null>(null);
  useEffect(() => void import('#display/fuzzy.ts').then(setSearch), []);
  return search?.fuzzy ?? null;
};

/** What there is of a kind. It is asked for when the sign is typed, and kept until another one is. */
const useKnown = (mention: Mention | null, { engine, project }: Selected): readonly Suggestion[] => {
  const kind = mention?.kind ?? null;
  const { t, actions } = useScene();
  const [files, setFiles] = useState<readonly string[]>([]);
  const [tabs, setTabs] = useState<readonly OpenTab[]>([]);
  useEffect(() => {
    let isWanted = true;
    if (kind === 'file') void actions.listFiles().then((found) => isWanted && setFiles(found));
    if (kind === 'page') void actions.page.tabs().then((found) => isWanted && setTabs(found));
    return () => {
      isWanted = false;
    };
  }, [kind, project?.id]);
  const start = mention?.start ?? 0;
  const commands = engine?.commands;
  // The same list for each letter: what was searched before is searched faster.
  return useMemo((): readonly Suggestion[] => {
    switch (kind) {
      case 'file':
        return files.map(toFile);
      case 'command':
        return (commands ?? []).map(toCommand);
      case 'skill':
        return (commands ?? []).filter(({ isSkill }) => isSkill === true).map((skill) => toSkill(skill, start));
      case 'page':
        return [...CaptureKind.options.map((one) => toPart(one, t(`take_${one}`))), ...tabs.map((tab) => toTab(tab, tabs))];
      case null:
        return [];
    }
  }, [kind, files, commands, start, tabs, t]);
};

/** What is searched: the name stands behind the last slash. */
const toText = ({ title, hint }: Suggestion): string => `${hint} ${title}`;

const toFile = (file: string): Suggestion => {
  const at = file.lastIndexOf('/') + 1;
  return { key: file, icon: 'read', title: file.slice(at), hint: file.slice(0, at), word: toFileWord(file) };
};

const toCommand = ({ name, description = '' }: CommandInfo): Suggestion => ({
  key: name,
  icon: 'execute',
  title: `/${name}`,
  hint: description,
  word: `/${name}`,
});

const toSkill = (skill: CommandInfo, start: number): Suggestion => ({
  ...toCommand(skill),
  title: `$${skill.name}`,
  word: toSkillWord(skill.name, { start }),
});

const toPart = (kind: CaptureKind, title: string): Suggestion => ({
  key: kind,
  icon: captureIcons[kind],
  title,
  hint: '',
  word: '',
  attach: { kind },
});

const toTab = (tab: OpenTab, tabs: readonly OpenTab[]): Suggestion => ({
  key: `tab-${tab.tabId}`,
  icon: 'browser',
  title: tab.title,
  hint: toTabPlace(tab, tabs),
  word: '',
  attach: { kind: 'page', tabId: tab.tabId },
});
