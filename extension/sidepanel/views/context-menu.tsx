/** The button beside the paper clip: attaches what the user sees in the page. */
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CaptureKind, type TabAnswer } from '#extension/shared/messages.ts';
import type { Attached } from '../outbox.ts';
import { Icon, type IconName } from './icons.tsx';
import { useScene } from './scene.ts';

export const captureIcons = {
  selection: 'quote',
  screenshot: 'camera',
  region: 'region',
  element: 'target',
  page: 'read',
  console: 'execute',
  network: 'fetch',
} as const satisfies Record<CaptureKind, IconName>;

export interface ContextMenuProps {
  /** What is being captured from the page; for an element, the user points at it. */
  readonly taking: CaptureKind | null;
  readonly onTake: (kind: CaptureKind) => void;
}

export const ContextMenu = ({ taking, onTake }: ContextMenuProps): JSX.Element => {
  const { t } = useScene();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const around = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = (): HTMLButtonElement[] => [...(around.current?.querySelectorAll<HTMLButtonElement>('[role=menuitem]') ?? [])];

  useEffect(() => {
    if (isOpen) items()[0]?.focus();
  }, [isOpen]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    const all = items();
    const at = all.findIndex((item) => item === document.activeElement);
    const next: Partial<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const target = next[event.key];
    if (event.key === 'Tab') return setOpen(false);
    if (event.key === 'Escape') close();
    else if (target !== undefined) all.at(target % all.length)?.focus();
    else return undefined;
    event.preventDefault();
    // Here Escape closes the menu and does not stop the agent.
    event.stopPropagation();
    return undefined;
  };

  return (
    <div
      ref={around}
      class="context"
      onKeyDown={onKeyDown}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && around.current?.contains(relatedTarget) === true)) setOpen(false);
      }}
    >
      <button
        ref={button}
        type="button"
        class="ghost"
        aria-label={t('attach_page')}
        title={t('attach_page')}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        disabled={taking !== null}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="pointer" />
      </button>
      {isOpen ? (
        <div id={id} class="context-menu" role="menu" aria-label={t('attach_page')}>
          {CaptureKind.options.map((kind) => (
            <button
              key={kind}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                onTake(kind);
              }}
            >
              <Icon name={captureIcons[kind]} />
              {t(`take_${kind}`)}
            </button>
          ))}
          <TabItem onDone={close} />
        </div>
      ) : null}
    </div>
  );
};

/** Hands the tab in front of the user to the session on screen, or takes it back. */
const TabItem = ({ onDone }: { onDone: () => void }): JSX.Element | null => {
  const { t, actions } = useScene();
  const [owner, setOwner] = useState<TabAnswer['owner']>(null);
  useEffect(() => void actions.page.tab('look').then(setOwner), [actions]);
  if (owner !== 'session' && owner !== 'person') return null;
  const act = owner === 'person' ? 'hand' : 'release';
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      onClick={({ isTrusted }) => {
        // Only the person decides about their tabs: a script's event is not trusted.
        if (!isTrusted) return;
        onDone();
        void actions.page.tab(act);
      }}
    >
      <Icon name="browser" />
      {t(`tab_${act}`)}
    </button>
  );
};

/** Says that the page waits for a click, and offers to cancel; Escape works wherever the focus is. */
export const Pointing = ({ kind }: { kind: 'element' | 'region' }): JSX.Element => {
  const { t, actions } = useScene();
  // This does not wait for the next paint: the page may be ready for the click earlier, and Escape must be ready then too.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.preventDefault();
      event.stopPropagation();
      actions.page.cancelCapture();
    };
    const cancel = (): void => actions.page.cancelCapture();
    addEventListener('keydown', onKeyDown, { capture: true });
    // A page must not wait for a panel that was closed.
    addEventListener('pagehide', cancel);
    return () => {
      removeEventListener('keydown', onKeyDown, { capture: true });
      removeEventListener('pagehide', cancel);
    };
  }, [actions]);
  return (
    <p class="pointing" role="status">
      <span>{t(kind === 'element' ? 'pointing' : 'pointing_region')}</span>
      <button type="button" class="link" onClick={() => actions.page.cancelCapture()}>
        {t('cancel')}
      </button>
    </p>
  );
};

/** How the composer takes things from the page. */
export const useCapture = (onAttached: (attached: Attached) => void, onNothing: (kind: CaptureKind) => void) => {
  const { t, actions } = useScene();
  const [taking, setTaking] = useState<CaptureKind | null>(null);
  const take = async (kind: CaptureKind, tabId?: number): Promise<void> => {
    setTaking(kind);
    const taken = await actions.page.capture(kind, (host) => t(`taken_${kind}`, { host }), tabId);
    if (typeof taken === 'string' || !taken.hasNext) setTaking(null);
    if (taken === 'nothing') onNothing(kind);
    else if (taken !== 'refused') {
      onAttached(taken.attached);
      if (taken.hasNext) await take(kind, tabId);
    }
  };
  return { taking, take: (kind: CaptureKind, tabId?: number): void => void take(kind, tabId) };
};
