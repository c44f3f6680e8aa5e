import { useState } from 'preact/hooks';

/**
 * What the person chose is shown while it is saved: a page that is drawn again meanwhile would set the field to what was kept before, and their
 * next key would go on from there.
 */
export const useHeld = <T>(kept: T, save: (value: T) => unknown): readonly [shown: T, choose: (value: T) => void] => {
  const [held, setHeld] = useState<{ readonly value: T } | null>(null);
  const choose = (value: T): void => {
    const mine = { value };
    setHeld(mine);
    const letGo = (): void => setHeld((now) => (now === mine ? null : now));
    void Promise.resolve(save(value)).then(letGo, letGo);
  };
  return [held === null ? kept : held.value, choose];
};
