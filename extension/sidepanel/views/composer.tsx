/** Where the user writes. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { toSize, toSizeAbove } from '#display/amounts.ts';
import { labelText } from '#display/engines.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { isForFile, toPreview, type LeftOut } from '../attachments.ts';
import { composerAction, enterWith, type ComposerSituation } from '../composer-keys.ts';
import { isEmptyDraft, noDraft, type Draft } from '../draft.ts';
import type { Translate } from '../i18n.ts';
import type { Attached } from '../outbox.ts';
import { pictureUrl } from '../pictures.ts';
import { promptsOf, recallPrompt, type Recalled } from '../prompt-history.ts';
import { sizeOfBase64 } from '#extension/shared/base64.ts';
import { partOf, takesNote, withNotes } from '../notes.ts';
import { AttachmentChip } from './attachment-chip.tsx';
import { ContextMenu, Pointing, useCapture } from './context-menu.tsx';
import { useDrops } from './drops.ts';
import { Icon } from './icons.tsx';
import { Lazy } from './lazy.tsx';
import { Spinner } from './parts.tsx';
import { useScene } from './scene.ts';
import { useSuggestions } from './suggestions.tsx';
import { typeInto } from './type-into.ts';

export const Composer = ({
  focusCount,
}: {
  /** Each change brings the focus back. */
  focusCount: ReadonlySignal<number>;
}): JSX.Element => {
  const { t, actions, enter: chosen, state, shown } = useScene();
  const { draft } = state;
  const { selected } = shown;
  /** Another key is another draft. */
  const draftKey = state.sessionId ?? 'new';
  const field = useRef<HTMLTextAreaElement>(null);
  const { complaint, setComplaint, reading, attach, onPaste } = useFiles(draftKey);
  const { engine, isRunning, isStopping } = selected;
  const { text, attachments } = draft;
  const enter = enterWith(text, chosen);
  const history = useHistory(text);
  const isEmpty = isEmptyDraft(draft);
  // A sent prompt in other words goes to another session, in which nothing runs.
  const isAdded = isRunning && draft.insteadOf === undefined;
  const canSteer = isAdded && (engine?.capabilities.canSteer ?? false);
  const cannotSee = engine?.capabilities.hasImages === false && attachments.some(({ mimeType }) => mimeType.startsWith('image/'));
  useField(field, text, draftKey, focusCount.value);

  const send = (delivery: 'queue' | 'steer'): void => {
    // What is still being read belongs to this prompt.
    if (isEmpty || reading > 0) return;
    const prompt = withNotes(text, attachments, t('notes'));
    void actions.send(prompt.text.trim() === '' ? t('only_attachments') : prompt.text, prompt.attachments, delivery);
    actions.changeDraft(noDraft);
    setComplaint('');
    field.current?.focus();
  };

  const { taking, take } = useTaking(field, setComplaint);
  const suggestions = useSuggestions({ field, text, selected, onTake: take });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (suggestions.onKey(event)) return;
    const action = composerAction(event, { enter, isRunning: isAdded, canSteer, isEmpty, isRecalling: history.isRecalling });
    if (action === 'none') return;
    event.preventDefault();
    if (action === 'send' || action === 'queue') send('queue');
    else if (action === 'steer') send('steer');
    else if ((action === 'older' || action === 'newer') && field.current !== null)
      typeInto(field.current, 0, text.length, history.recall(action));
    // Escape stops from anywhere in the panel, so the event goes on to the root.
  };

  return (
    <DropForm onSubmit={() => send('queue')} onDrop={(files) => void attach(files)}>
      {suggestions.list}
      <Chips attached={attachments} onNoted={() => field.current?.focus()} />
      <Instead draft={draft} />
      <Reading count={reading} />
      <Complaint text={complaint === '' && cannotSee ? t('no_images') : complaint} />
      {taking === 'element' || taking === 'region' ? <Pointing kind={taking} /> : null}
      <MessageField
        field={field}
        text={text}
        sends={enter === 'send'}
        placeholder={isAdded ? t('placeholder_running') : t('placeholder', { engine: labelText(engine ?? { label: 'Pilotfish' }, t) })}
        suggestions={suggestions}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div class="composer-buttons">
        <FilePicker onFiles={(files) => void attach(files)} />
        <ContextMenu taking={taking} onTake={take} />
        <span class="spacer" />
        <SendButtons
          isRunning={isRunning}
          isStopping={isStopping}
          isEmpty={isEmpty}
          isReading={reading > 0}
          isAdded={isAdded}
          canSteer={canSteer}
          enter={enter}
          onSteer={() => send('steer')}
        />
      </div>
    </DropForm>
  );
};

interface MessageFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  /** Whether Enter sends. */
  readonly sends: boolean;
  readonly placeholder: string;
  readonly suggestions: ReturnType<typeof useSuggestions>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
}

const MessageField = ({ field, text, sends, placeholder, suggestions, onKeyDown, onPaste }: MessageFieldProps): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <textarea
      ref={field}
      rows={1}
      value={text}
      dir="auto"
      enterkeyhint={sends ? 'send' : 'enter'}
      aria-label={t('message')}
      placeholder={placeholder}
      aria-autocomplete="list"
      {...suggestions.attributes}
      onInput={(event) => {
        actions.changeDraft({ text: event.currentTarget.value });
        suggestions.look();
      }}
      onSelect={suggestions.look}
      onBlur={suggestions.close}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  );
};

/** What is taken of the page is attached, and the person goes on writing. */
const useTaking = (field: RefObject<HTMLTextAreaElement | null>, setComplaint: (text: string) => void): ReturnType<typeof useCapture> => {
  const { t, actions } = useScene();
  return useCapture(
    (taken) => {
      actions.attach([taken]);
      setComplaint('');
      field.current?.focus();
    },
    (kind) => {
      const isEnded = kind === 'element' || kind === 'region';
      setComplaint(kind === 'selection' ? t('nothing_selected') : isEnded ? '' : t('nothing_found'));
      field.current?.focus();
    },
  );
};

/** The focus and the height of the field. */
const useField = (field: RefObject<HTMLTextAreaElement | null>, text: string, draftKey: string, focusCount: number): void => {
  const { actions } = useScene();
  // A capture that is still running was meant for the draft that is left.
  useEffect(() => () => actions.page.cancelCapture(), [draftKey, actions]);
  useEffect(() => field.current?.focus(), [draftKey, focusCount]);

  // Makes the field as high as its text where `field-sizing` is not supported.
  useLayoutEffect(() => {
    const area = field.current;
    if (area === null || CSS.supports('field-sizing', 'content')) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);
};

interface History {
  /** Whether the text is a prompt of before, as it was. */
  readonly isRecalling: boolean;
  /** The prompt before or after the one recalled; after the newest comes nothing. */
  readonly recall: (direction: 'older' | 'newer') => string;
}

/** The prompts of the session, for the arrow keys. */
const useHistory = (text: string): History => {
  const { selected } = useScene().shown;
  const recalled = useRef<Recalled | null>(null);
  const isRecalling = recalled.current !== null && recalled.current.text === text;
  return {
    isRecalling,
    recall: (direction) => {
      const prompt = recallPrompt(promptsOf(selected.view), isRecalling ? recalled.current : null, direction);
      // As the field has it.
      recalled.current = prompt === null ? null : { ...prompt, text: prompt.text.replaceAll(/\r\n?/g, '\n') };
      return recalled.current?.text ?? '';
    },
  };
};

interface FilesState {
  /** Why something was not attached; empty when everything was. */
  readonly complaint: string;
  readonly setComplaint: (text: string) => void;
  /** So many files are being read. */
  readonly reading: number;
  readonly attach: (files: readonly File[]) => Promise<void>;
  /** Pasted files are attached, and so is a text that the field has no room for; other text goes into the field as ever. */
  readonly onPaste: (event: ClipboardEvent) => void;
}

const useFiles = (draftKey: string): FilesState => {
  const { t, actions } = useScene();
  const [told, setTold] = useState({ draftKey, text: '' });
  const [reading, setReading] = useState(0);
  const key = useRef(draftKey);
  key.current = draftKey;
  const setComplaint = (text: string): void => setTold({ draftKey: key.current, text });
  // What was said of another draft is not shown at this one, not even until it is forgotten.
  const complaint = told.draftKey === draftKey ? told.text : '';
  useEffect(() => setComplaint(''), [draftKey]);
  const attach = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    setComplaint('');
    setReading((count) => count + files.length);
    const leftOut = await actions.attachFiles(files).finally(() => setReading((count) => count - files.length));
    if (leftOut !== null && key.current === draftKey) setComplaint(toComplaint(leftOut, t));
  };
  const onPaste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const inFiles = [...(event.clipboardData?.files ?? [])];
    const files = inFiles.length === 0 && isForFile(text) ? [new File([text], t('pasted_file'), { type: 'text/plain' })] : inFiles;
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  return { complaint, setComplaint, reading, attach, onPaste };
};

const toComplaint = (leftOut: LeftOut, t: Translate): string => {
  const { name, others } = leftOut;
  if (leftOut.reason === 'count') return t('too_many', { count: leftOut.allowed, left: others + 1 });
  const more = others === 0 ? '' : ` ${t('left_out_more', { count: others })}`;
  if (leftOut.reason === 'unreadable') return t('unreadable', { name }) + more;
  const { reason, found, allowed } = leftOut;
  const values = { name, sum: toSizeAbove(found, allowed), limit: toSize(allowed) };
  return t(reason === 'alone' ? 'too_large_alone' : 'too_large', values) + more;
};

/** The form that takes the files which are dropped onto the panel. */
const DropForm = ({
  onSubmit,
  onDrop,
  children,
}: {
  onSubmit: () => void;
  onDrop: (files: readonly File[]) => void;
  children: ComponentChildren;
}): JSX.Element => {
  const isDropping = useDrops(onDrop);
  return (
    <form
      class={isDropping ? 'composer dropping' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
};

/** A sent prompt is in the composer once more: where it will go, the other way, and what becomes of the draft. */
const Instead = ({ draft: { insteadOf, aside } }: { draft: Draft }): JSX.Element | null => {
  const { t, actions } = useScene();
  const isAside = aside !== undefined && !isEmptyDraft(aside);
  if (insteadOf === undefined && !isAside) return null;
  return (
    <p class="complaint instead" role="status">
      {insteadOf === undefined ? null : (
        <>
          {t('edit_instead')}{' '}
          <button type="button" class="link" onClick={() => actions.changeDraft({ insteadOf: undefined })}>
            {t('edit_at_end')}
          </button>{' '}
        </>
      )}
      {isAside ? <>{t('edit_aside')} </> : null}
      <button type="button" class="link" onClick={() => actions.cancelEdit()}>
        {t('cancel')}
      </button>
    </p>
  );
};

const Reading = ({ count }: { count: number }): JSX.Element | null => {
  const { t } = useScene();
  return count === 0 ? null : (
    <p class="complaint reading" role="status">
      <Spinner /> {t('reading_files', { count })}
    </p>
  );
};

const Complaint = ({ text }: { text: string }): JSX.Element | null =>
  text === '' ? null : (
    <p class="complaint" role="alert">
      {text}
    </p>
  );

/** The attachments, each with a button that removes it, and what else can be done with it. */
const Chips = ({ attached, onNoted }: { attached: readonly Attached[]; onNoted: () => void }): JSX.Element | null => {
  const { actions } = useScene();
  const [drawnOn, setDrawnOn] = useState<Attached | null>(null);
  const replace = (file: Attached, change: Partial<Attached> | null): void =>
    actions.changeDraft({
      attachments: attached.flatMap((other) => (other !== file ? [other] : change === null ? [] : [{ ...other, ...change }])),
    });
  if (attached.length === 0) return null;
  return (
    <>
      <ul class="chips">
        {attached.map((file, index) => (
          <Chip key={index} file={file} onChange={(change) => replace(file, change)} onDraw={() => setDrawnOn(file)} onNoted={onNoted} />
        ))}
      </ul>
      {drawnOn === null ? null : (
        <Lazy
          load={loadDrawing}
          props={{
            file: drawnOn,
            onDone: (drawn) => replace(drawnOn, drawn),
            onClose: () => {
              setDrawnOn(null);
              onNoted();
            },
          }}
        />
      )}
    </>
  );
};

const loadDrawing = async () => (await import('./draw-sheet.tsx')).DrawSheet;

interface ChipProps {
  readonly file: Attached;
  /** Null removes it. */
  readonly onChange: (change: Partial<Attached> | null) => void;
  readonly onDraw: () => void;
  /** The note is written. */
  readonly onNoted: () => void;
}

const Chip = ({ file, onChange, onDraw, onNoted }: ChipProps): JSX.Element => {
  const { t } = useScene();
  const { kind, name, note = '' } = file;
  const picture = useMemo(() => pictureUrl(file), [file.mimeType, file.dataBase64]);
  const part = toVisible(partOf(file));
  // Pages of one site are called the same: the title says which, and the name of the site stands behind it.
  const shown = kind === 'page' && part !== '' ? { name: part, part: name } : { name, part };
  return (
    <AttachmentChip kind={kind} {...shown} sizeBytes={sizeOfBase64(file.dataBase64)} hint={toPreview(file)} picture={picture}>
      {picture === null ? null : (
        <button type="button" class="ghost tiny" aria-label={t('draw_on', { name })} title={t('draw')} onClick={onDraw}>
          <Icon name="edit" />
        </button>
      )}
      <button type="button" class="ghost tiny" aria-label={t('remove', { name: shown.name })} onClick={() => onChange(null)}>
        <Icon name="close" />
      </button>
      {takesNote(file) ? (
        <input
          class="note"
          value={note}
          maxLength={2_000}
          dir="auto"
          placeholder={t('note')}
          aria-label={t('note_for', { name })}
          onInput={(event) => onChange({ note: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            event.preventDefault();
            onNoted();
          }}
        />
      ) : null}
    </AttachmentChip>
  );
};

const FilePicker = ({ onFiles }: { onFiles: (files: readonly File[]) => void }): JSX.Element => {
  const { t } = useScene();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="ghost" aria-label={t('attach')} title={t('attach')} onClick={() => picker.current?.click()}>
        <Icon name="clip" />
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
};

/** The stop button while nothing is written; otherwise the button that sends, queues or adds to the running turn. */
const SendButtons = ({
  isRunning,
  isStopping,
  isEmpty,
  isReading,
  isAdded,
  canSteer,
  enter,
  onSteer,
}: {
  isRunning: boolean;
  isStopping: boolean;
  isEmpty: boolean;
  /** Whether files for this prompt are still being read. */
  isReading: boolean;
  /** Whether the prompt is queued, or said to the turn that runs. */
  isAdded: boolean;
  canSteer: boolean;
  enter: ComposerSituation['enter'];
  onSteer: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  const hint = t(enter === 'send' ? 'steer_hint' : 'steer_hint_line');
  return (
    <>
      {isRunning ? (
        <button
          type="button"
          class={isEmpty ? 'stop primary' : 'stop'}
          aria-label={t(isStopping ? 'stopping' : 'stop')}
          onClick={() => void actions.stop()}
        >
          <Icon name="stop" />
          <span>{t(isStopping ? 'stopping' : 'stop')}</span>
        </button>
      ) : null}
      {canSteer && !isEmpty ? (
        <button type="button" class="steer" title={hint} disabled={isReading} onClick={onSteer}>
          {t('steer')}
        </button>
      ) : null}
      {isRunning && isEmpty ? null : (
        <button type="submit" class="send primary" disabled={isEmpty || isReading} title={canSteer ? hint : undefined}>
          <Icon name={isAdded ? 'plus' : 'send'} />
          <span>{t(isAdded ? 'queue' : 'send')}</span>
        </button>
      )}
    </>
  );
};
