/** Where the user writes. Keeps its text per session, whatever happens around it. */
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as z from 'zod';
import { toSize } from '#display/amounts.ts';
import { MAX_FILE_BYTES, readFiles, toPicture, toPreview } from '../attachments.ts';
import { composerAction } from '../composer-keys.ts';
import type { Attached } from '../outbox.ts';
import type { Selected } from '../selected.ts';
import { sizeOfBase64 } from '../text.ts';
import { AttachmentChip } from './attachment-chip.tsx';
import { ContextMenu, Pointing, useCapture } from './context-menu.tsx';
import { Icon } from './icons.tsx';
import { useScene } from './scene.ts';

/** A text put into the composer from elsewhere, or null to bring back the focus only; `count` tells two equal ones apart. */
export interface Composed {
  readonly text: string | null;
  readonly count: number;
}

export interface ComposerProps {
  readonly selected: Selected;
  /** The key of the draft: the id of the session, or a fixed word for the new one. */
  readonly draftKey: string;
  readonly composed: Composed | null;
  /** Newest prompt of the session, for the arrow key. */
  readonly lastPrompt: string;
}

const Draft = z.string().max(200_000);

export const Composer = ({ selected, draftKey, composed, lastPrompt }: ComposerProps): JSX.Element => {
  const { t, actions } = useScene();
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, write, attachments, markSent } = useDraft(draftKey, composed, field);
  const { attached, setAttached, complaint, setComplaint, attach } = attachments;
  const { engine, isRunning, isStopping } = selected;
  const isEmpty = text.trim() === '' && attached.length === 0;
  const canSteer = engine?.capabilities.canSteer ?? false;
  const cannotSee = engine?.capabilities.hasImages === false && attached.some(({ mimeType }) => mimeType.startsWith('image/'));

  const send = (delivery: 'queue' | 'steer'): void => {
    if (isEmpty) return;
    void actions.send(text.trim() === '' ? t('only_attachments') : text, attached, delivery);
    markSent();
    field.current?.focus();
  };

  const { taking, take } = useCapture(
    (taken) => {
      setAttached((before) => [...before, taken]);
      setComplaint('');
      field.current?.focus();
    },
    (kind) => {
      setComplaint(kind === 'selection' ? t('nothing_selected') : kind === 'element' ? '' : t('nothing_found'));
      field.current?.focus();
    },
  );

  const onKeyDown = (event: KeyboardEvent): void => {
    const action = composerAction(event, { isRunning, canSteer, isEmpty });
    if (action === 'none') return;
    event.preventDefault();
    if (action === 'send' || action === 'queue') send('queue');
    else if (action === 'steer') send('steer');
    else if (action === 'recall') write(lastPrompt);
    // Escape stops from anywhere in the panel, so the event goes on to the root.
  };

  return (
    <DropForm onSubmit={() => send('queue')} onDrop={(files) => void attach(files)}>
      <Chips attached={attached} onRemove={(file) => setAttached(attached.filter((other) => other !== file))} />
      {complaint === '' && !cannotSee ? null : (
        <p class="complaint" role="alert">
          {complaint === '' ? t('no_images') : complaint}
        </p>
      )}
      {taking === 'element' ? <Pointing /> : null}
      <textarea
        ref={field}
        rows={1}
        value={text}
        dir="auto"
        aria-label={t('message')}
        placeholder={isRunning ? t('placeholder_running') : t('placeholder', { engine: engine?.label ?? 'Pilotfish' })}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          void attach(files);
        }}
      />
      <div class="composer-buttons">
        <FilePicker onFiles={(files) => void attach(files)} />
        <ContextMenu taking={taking} onTake={take} />
        <span class="spacer" />
        <SendButtons isRunning={isRunning} isStopping={isStopping} isEmpty={isEmpty} canSteer={canSteer} onSteer={() => send('steer')} />
      </div>
    </DropForm>
  );
};

interface DraftState {
  readonly text: string;
  readonly write: (text: string) => void;
  readonly attachments: Attachments;
  /** What is written has been sent. */
  readonly markSent: () => void;
}

/** The text of a session, which is kept on this machine, and what is attached to it. */
const useDraft = (draftKey: string, composed: Composed | null, field: RefObject<HTMLTextAreaElement | null>): DraftState => {
  const { actions, local } = useScene();
  const attachments = useAttachments();
  const { setAttached, setComplaint } = attachments;
  const [text, setText] = useState('');
  const sentFrom = useRef<string | null>(null);

  useEffect(() => {
    let isCurrent = true;
    const isOwnSession = sentFrom.current === 'new' && draftKey !== 'new';
    sentFrom.current = null;
    if (isOwnSession) {
      // The first prompt has created the session: what was typed after it moves there.
      local.remove('draft:new');
      if (text !== '') local.save(`draft:${draftKey}`, text);
      return;
    }
    setText('');
    setAttached([]);
    void local.load(`draft:${draftKey}`, Draft).then((draft) => {
      // What was typed meanwhile is newer than the draft.
      if (isCurrent) setText((typed) => (typed === '' ? (draft ?? '') : typed));
    });
    field.current?.focus();
    return () => {
      isCurrent = false;
      // A capture that is still running was meant for this draft.
      actions.page.cancelCapture();
    };
  }, [draftKey, local, actions]);

  useEffect(() => {
    if (composed === null) return;
    if (composed.text !== null) setText(composed.text);
    field.current?.focus();
  }, [composed]);

  // Makes the field as high as its text where `field-sizing` is not supported.
  useLayoutEffect(() => {
    const area = field.current;
    if (area === null || CSS.supports('field-sizing', 'content')) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);

  const write = (next: string): void => {
    setText(next);
    if (next === '') local.remove(`draft:${draftKey}`);
    else local.save(`draft:${draftKey}`, next);
  };
  const markSent = (): void => {
    sentFrom.current = draftKey;
    write('');
    setAttached([]);
    setComplaint('');
  };
  return { text, write, attachments, markSent };
};

interface Attachments {
  readonly attached: readonly Attached[];
  readonly setAttached: (next: readonly Attached[] | ((before: readonly Attached[]) => readonly Attached[])) => void;
  /** Why something was not attached; empty when everything was. */
  readonly complaint: string;
  readonly setComplaint: (text: string) => void;
  readonly attach: (files: readonly File[]) => Promise<void>;
}

const useAttachments = (): Attachments => {
  const { t } = useScene();
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const [complaint, setComplaint] = useState('');
  const attach = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    const read = await readFiles(files);
    setAttached((before) => [...before, ...read.attached]);
    const [name] = read.tooLarge;
    setComplaint(name === undefined ? '' : t('too_large', { name, size: toSize(MAX_FILE_BYTES) }));
  };
  return { attached, setAttached, complaint, setComplaint, attach };
};

/** A form onto which files can be dropped. */
const DropForm = ({
  onSubmit,
  onDrop,
  children,
}: {
  onSubmit: () => void;
  onDrop: (files: readonly File[]) => void;
  children: ComponentChildren;
}): JSX.Element => {
  const [isDropping, setDropping] = useState(false);
  return (
    <form
      class={isDropping ? 'composer dropping' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        onDrop([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
    </form>
  );
};

/** The attachments, each with a button that removes it. */
const Chips = ({ attached, onRemove }: { attached: readonly Attached[]; onRemove: (file: Attached) => void }): JSX.Element | null => {
  const { t } = useScene();
  if (attached.length === 0) return null;
  return (
    <ul class="chips">
      {attached.map((file, index) => (
        <AttachmentChip
          key={index}
          kind={file.kind}
          name={file.name}
          sizeBytes={sizeOfBase64(file.dataBase64)}
          hint={toPreview(file)}
          picture={toPicture(file)}
        >
          <button type="button" class="ghost tiny" aria-label={t('remove', { name: file.name })} onClick={() => onRemove(file)}>
            <Icon name="close" />
          </button>
        </AttachmentChip>
      ))}
    </ul>
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
  canSteer,
  onSteer,
}: {
  isRunning: boolean;
  isStopping: boolean;
  isEmpty: boolean;
  canSteer: boolean;
  onSteer: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <>
      {isRunning ? (
        <button type="button" class={isEmpty ? 'stop primary' : 'stop'} onClick={() => void actions.stop()}>
          <Icon name="stop" />
          {t(isStopping ? 'stopping' : 'stop')}
        </button>
      ) : null}
      {isRunning && canSteer && !isEmpty ? (
        <button type="button" class="steer" title={t('steer_hint')} onClick={onSteer}>
          {t('steer')}
        </button>
      ) : null}
      {isRunning && isEmpty ? null : (
        <button type="submit" class="send primary" disabled={isEmpty} title={isRunning && canSteer ? t('steer_hint') : undefined}>
          <Icon name={isRunning ? 'plus' : 'send'} />
          {t(isRunning ? 'queue' : 'send')}
        </button>
      )}
    </>
  );
};
