/** Reading anew while a view is shown, for what no stream tells of. */
import { useEffect } from 'preact/hooks';

const READ_MS = 2_000;

/** Reads at once, and again a moment after each time, until the view goes or `inputs` change. */
export const useRepeated = (read: () => Promise<void>, inputs: readonly unknown[]): void =>
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const go = async (): Promise<void> => {
      await read();
      if (isOpen) timer = setTimeout(() => void go(), READ_MS);
    };
    void go();
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, inputs);
