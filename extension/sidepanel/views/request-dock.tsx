/** What waits for the person, one request at a time, in place above the composer while the conversation scrolls. */
import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ViewRequest } from '#protocol/view.ts';
import { QuestionCard } from './question-card.tsx';
import { RequestCard } from './request-card.tsx';
import { useScene } from './scene.ts';

export const RequestDock = ({
  requests,
  answering,
  dock,
}: {
  /** Oldest first. */
  requests: readonly ViewRequest[];
  /** The request whose answer is on its way. */
  answering: string | null;
  dock: RefObject<HTMLDivElement | null>;
}): JSX.Element | null => {
  const { focusComposer } = useScene();
  const [first] = requests;
  // A person who answers by keys goes on with the next one.
  const leadsOn = useRef(false);
  useEffect(() => {
    if (leadsOn.current) focusRequest(dock);
    leadsOn.current = false;
  }, [first?.requestId]);
  if (first === undefined) return null;
  const Card = first.request.kind === 'question' ? QuestionCard : RequestCard;
  return (
    <div class="request-dock" ref={dock}>
      <Card
        key={first.requestId}
        request={first}
        isBusy={answering === first.requestId}
        waiting={requests.length}
        onDone={() => {
          if (requests.length > 1) leadsOn.current = true;
          else focusComposer();
        }}
      />
    </div>
  );
};

/** Puts the focus on the card that waits. */
export const focusRequest = (dock: RefObject<HTMLDivElement | null>): void => dock.current?.querySelector<HTMLElement>('.request')?.focus();
