/** What waits for the person, one request at a time, in place above the composer while the conversation scrolls. */
import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { LEAD_ON_MS } from '#display/request-options.ts';
import { requestPurpose } from '#display/tool-line.ts';
import { PlaceContext } from './kept.ts';
import { QuestionCard } from './question-card.tsx';
import { RequestCard } from './request-card.tsx';
import { useScene } from './scene.ts';

export const RequestDock = ({ dock }: { dock: RefObject<HTMLDivElement | null> }): JSX.Element | null => {
  const { focusComposer, state, shown } = useScene();
  const { selected } = shown;
  const { requests } = selected;
  const [first] = requests;
  const cameFrom = useRef<HTMLElement | null>(null);
  const leadsOn = useLeadOn();
  useEffect(() => {
    if (first !== undefined && leadsOn.end()) focusRequest(dock);
  }, [first?.requestId]);
  if (first === undefined) return null;
  const Card = first.request.kind === 'question' ? QuestionCard : RequestCard;
  const leave = (event: Event): void => {
    const isByKeys = !(event instanceof MouseEvent) || event.detail === 0;
    if (isByKeys || requests.length > 1) leadsOn.begin();
    if (requests.length > 1) return;
    if (isByKeys) cameFrom.current?.focus({ preventScroll: true });
    if (!isByKeys || cameFrom.current === null || document.activeElement !== cameFrom.current) focusComposer();
  };
  return (
    <div
      class="request-dock"
      ref={dock}
      onFocusIn={({ relatedTarget: left }) => {
        if (left instanceof HTMLElement && dock.current?.contains(left) === false) cameFrom.current = left;
      }}
    >
      <PlaceContext.Provider value={first.requestId}>
        <Card
          key={first.requestId}
          request={first}
          purpose={requestPurpose(first, selected.view?.items ?? [])}
          // What a turn that is being stopped has asked is not answered any more.
          isBusy={state.answering === first.requestId || (selected.isStopping && first.turnId !== null)}
          waiting={requests.length}
          onDone={leave}
        />
      </PlaceContext.Provider>
    </div>
  );
};

/** Puts the focus on the card that waits. */
export const focusRequest = (dock: RefObject<HTMLDivElement | null>): void => dock.current?.querySelector<HTMLElement>('.request')?.focus();

/**
 * A person who answers goes on with what is asked next, also where the agent asks it a moment later. Whatever else they do ends that, so
 * that no letter of what they write answers a request.
 */
const useLeadOn = (): { readonly begin: () => void; /** Whether it led on until now. */ readonly end: () => boolean } => {
  const until = useRef(0);
  useEffect(() => {
    // An Escape after an answer is meant for what is asked next.
    const end = (event: Event): void => {
      if (!isEscape(event)) until.current = 0;
    };
    for (const type of DEEDS) document.addEventListener(type, end, { capture: true });
    return () => {
      for (const type of DEEDS) document.removeEventListener(type, end, { capture: true });
    };
  }, []);
  return {
    begin: () => void (until.current = performance.now() + LEAD_ON_MS),
    end: () => {
      const isLeading = performance.now() < until.current;
      until.current = 0;
      return isLeading;
    },
  };
};

/** What a person does with keys or a pointer. */
export const DEEDS = ['keydown', 'pointerdown'] as const;

/** Whether a person has pressed Escape. */
export const isEscape = (event: Event): boolean => event instanceof KeyboardEvent && event.key === 'Escape';
