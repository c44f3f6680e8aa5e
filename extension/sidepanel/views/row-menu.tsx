/** What opens below a row of a list: the button for it, and the field for another name. */
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { useScene } from './scene.ts';

export const MoreButton = ({ name, isOpen, onPress }: { name: string; isOpen: boolean; onPress: () => void }): JSX.Element => {
  const { t } = useScene();
  return (
    <button type="button" class="ghost" aria-label={t('more', { name })} aria-expanded={isOpen} onClick={onPress}>
      <Icon name="more" />
    </button>
  );
};

/** Escape closes what is open below a row, and neither the list nor the turn that runs beside it; the button of the row has the focus then. */
export const closeByEscape =
  (close: () => void) =>
  (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.querySelector<HTMLElement>('[aria-expanded=true]')?.focus();
    close();
  };

/** An empty name changes nothing. */
export const Rename = ({
  name,
  maxLength,
  onRename,
  onDone,
}: {
  name: string;
  maxLength: number;
  onRename: (name: string) => void;
  onDone: () => void;
}): JSX.Element => {
  const { t } = useScene();
  const [text, setText] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <form
      class="row-menu field-row"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onRename(text.trim());
        onDone();
      }}
    >
      <input
        ref={field}
        class="field"
        value={text}
        maxLength={maxLength}
        dir="auto"
        aria-label={t('name')}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">{t('save')}</button>
    </form>
  );
};
