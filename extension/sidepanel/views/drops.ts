/** What is dragged into the panel: files are attached wherever they are dropped, and nothing opens instead, as Chrome would do with it. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** Whether files are dragged over the panel. They go to `take` wherever they are dropped, unless a sheet is open above the composer. */
export const useDrops = (take: (files: readonly File[]) => void): boolean => {
  const newest = useRef(take);
  newest.current = take;
  const [isOver, setOver] = useState(false);
  useEffect(
    () =>
      hear({
        dragover: (event) => {
          if (!hasFiles(event) || isCovered()) return;
          event.preventDefault();
          if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
          setOver(true);
        },
        dragleave: (event) => {
          // From one element of the panel to another, it is still over the panel.
          if (event.relatedTarget === null) setOver(false);
        },
        drop: (event) => {
          setOver(false);
          if (!hasFiles(event) || isCovered()) return;
          event.preventDefault();
          newest.current([...(event.dataTransfer?.files ?? [])]);
        },
      }),
    [],
  );
  return isOver;
};

/** What nobody takes cannot be dropped, and the pointer shows that: Chrome would open a file or an address in a tab. Text can be dropped into a field. */
export const useNoStrayDrops = (): void => {
  useEffect(() => {
    const refuse = (event: DragEvent): void => {
      if (event.defaultPrevented || (!hasFiles(event) && isField(event.target))) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
    };
    // On the window, so that it is asked last.
    return hear({ dragover: refuse, drop: refuse }, window);
  }, []);
};

type Hearers = Partial<Record<'dragover' | 'dragleave' | 'drop', (event: DragEvent) => void>>;

const hear = (hearers: Hearers, target: EventTarget = document): (() => void) => {
  const hearAny = (event: Event): void => {
    const { type } = event;
    if (event instanceof DragEvent && (type === 'dragover' || type === 'dragleave' || type === 'drop')) hearers[type]?.(event);
  };
  for (const type of Object.keys(hearers)) target.addEventListener(type, hearAny);
  return () => {
    for (const type of Object.keys(hearers)) target.removeEventListener(type, hearAny);
  };
};

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

const isField = (target: EventTarget | null): boolean => target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;

const isCovered = (): boolean => document.querySelector('dialog:modal') !== null;
