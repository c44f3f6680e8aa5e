/** A list whose rows are put in order by dragging them, or by two buttons each. */
import { toChildArray, type ComponentChildren, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '#extension/sidepanel/views/icons.tsx';
import { moveBy, moveTo } from './order.ts';
import { useSettings } from './scene.ts';

/** One child for each of `names`, in their order. */
export const OrderedList = ({
  names,
  labelOf,
  onOrder,
  children,
}: {
  names: readonly string[];
  labelOf: (name: string) => string;
  onOrder: (names: readonly string[]) => void;
  children: ComponentChildren;
}): JSX.Element => {
  const [dragged, setDragged] = useState<string | null>(null);
  const rows = toChildArray(children);
  return (
    <ul class="list">
      {names.map((name, index) => (
        <li
          key={name}
          class={name === dragged ? 'ordered dragged' : 'ordered'}
          draggable
          onDragStart={() => setDragged(name)}
          onDragEnd={() => setDragged(null)}
          onDragOver={(event) => {
            if (dragged !== null) event.preventDefault();
          }}
          onDrop={(event) => {
            event.preventDefault();
            if (dragged !== null && dragged !== name) onOrder(moveTo(names, dragged, name));
            setDragged(null);
          }}
        >
          <div class="ordered-row">{rows[index]}</div>
          <span class="ordered-moves">
            <Move name={name} names={names} step={-1} label={labelOf(name)} onOrder={onOrder} />
            <Move name={name} names={names} step={1} label={labelOf(name)} onOrder={onOrder} />
          </span>
        </li>
      ))}
    </ul>
  );
};

const Move = ({
  name,
  names,
  step,
  label,
  onOrder,
}: {
  name: string;
  names: readonly string[];
  step: -1 | 1;
  label: string;
  onOrder: (names: readonly string[]) => void;
}): JSX.Element => {
  const { say } = useSettings();
  const text = say(step === -1 ? 'moveUp' : 'moveDown', { name: label });
  const isAtEnd = names[names.indexOf(name) + step] === undefined;
  return (
    <button
      type="button"
      class="ghost tiny"
      aria-label={text}
      title={text}
      disabled={isAtEnd}
      onClick={() => onOrder(moveBy(names, name, step))}
    >
      <Icon name={step === -1 ? 'up' : 'down'} />
    </button>
  );
};
