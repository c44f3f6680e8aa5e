/** Small pieces that several views share. */
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { remedyText } from '#display/activity.ts';
import { errorText } from '#display/error-text.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import { quotations } from '../text.ts';
import { Icon } from './icons.tsx';
import { useScene } from './scene.ts';

/** How long "Copied" is shown. */
export const COPIED_MS = 1500;

/** Copies a text; for a moment it is told that it was copied. */
export const useCopy = (text: string, onCopied?: () => void): { readonly isCopied: boolean; readonly copy: () => void } => {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    onCopied?.();
  };
  return { isCopied, copy: () => void copy() };
};

/** What a press begins and takes a while: it runs once however often the person presses meanwhile, and a double click is one press. */
export const useOnce = (work: () => unknown): { readonly isBusy: boolean; readonly run: (press: Pick<MouseEvent, 'detail'>) => void } => {
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const run = async ({ detail }: Pick<MouseEvent, 'detail'>): Promise<void> => {
    if (isRunning.current || detail > 1) return;
    isRunning.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { isBusy, run: (press) => void run(press) };
};

export const CopyButton = ({ text }: { text: string }): JSX.Element => {
  const { t } = useScene();
  const { isCopied, copy } = useCopy(text);
  return (
    <button type="button" class="small" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      {t(isCopied ? 'copied' : 'copy')}
    </button>
  );
};

/** A shell command that can be copied. A browser would end a line within `-g`, which then reads as another option. */
export const Command = ({ text }: { text: string }): JSX.Element => (
  <div class="command">
    <CommandWords text={text} />
    <CopyButton text={text} />
  </div>
);

/** A shell command whose copying is the one thing to do, so that a button of its own stands below it. */
export const CommandText = ({ text }: { text: string }): JSX.Element => (
  <div class="command">
    <CommandWords text={text} />
  </div>
);

const CommandWords = ({ text }: { text: string }): JSX.Element => (
  <code>
    {text.split(' ').map((word, index) => (
      <Fragment key={index}>
        {index === 0 ? '' : ' '}
        <span class="command-word">{word}</span>
      </Fragment>
    ))}
  </code>
);

/** The one thing to do where a command in a terminal mends it. */
export const CopyCommand = ({ text, onCopied }: { text: string; onCopied?: () => void }): JSX.Element => {
  const { t } = useScene();
  const { isCopied, copy } = useCopy(text, onCopied);
  return (
    <button type="button" class="option option-allow_once" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      {t(isCopied ? 'copied' : 'copy_command')}
    </button>
  );
};

/** A sentence in which `backticks` mark commands. */
export const Sentence = ({ text }: { text: string }): JSX.Element => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : <Quoting key={index} text={part} />))}</>
);

/** A sentence with what others wrote between quotation marks: of whatever script that is, the words around it keep their order. */
export const Quoting = ({ text }: { text: string }): JSX.Element => (
  <>{quotations(text).map((part, index) => (index % 2 === 1 ? <bdi key={index}>{part}</bdi> : part))}</>
);

/** What failed, what to do, and the code, which says nothing where a person has only to install something. */
export const ErrorText = ({ error, hasCode = true }: { error: ErrorBody; hasCode?: boolean }): JSX.Element => {
  const { t } = useScene();
  const { message, remedy, detail } = errorText(error, t);
  return (
    <div class="error-text">
      <p>
        <Sentence text={message} />
      </p>
      <p class="remedy">
        <Sentence text={remedyText(t, { ...error, remedy }, Date.now())} />
      </p>
      {detail === '' ? null : (
        <details class="request-more">
          <summary>{t('more_about')}</summary>
          <p>
            <Sentence text={detail} />
          </p>
        </details>
      )}
      {hasCode ? <p class="code-line">{t('error_code', { code: error.code })}</p> : null}
    </div>
  );
};

export const Spinner = (): JSX.Element => <span class="spinner" aria-hidden="true" />;

/** Runs a clock for the view while `isRunning`; returns Unix milliseconds. */
export const useNow = (isRunning: boolean): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
};

/** A modal sheet: from below for choices, from the left for the sessions. Escape and a click beside it close it. */
export const Sheet = ({
  title,
  side = 'bottom',
  onClose,
  children,
}: {
  title: string;
  side?: 'bottom' | 'left';
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element => {
  const { t } = useScene();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // Only what is closed gives the focus back to what opened it, and a choice takes the sheet off the page as it is.
    return () => dialog.current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`sheet sheet-${side}`}
      aria-label={title}
      onClose={({ currentTarget }) => {
        if (currentTarget.isConnected) onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="sheet-body">
        <div class="sheet-head">
          <h2>{title}</h2>
          <button type="button" class="ghost" aria-label={t('close')} onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
};
