/** The mouse of the debugger's Input domain. */
import type { Modifier, Point } from '#extension/content/api.ts';
import type { Debugger } from './debugger.ts';

const MODIFIER_BITS: Record<Modifier, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };
const BUTTON_BITS = { left: 1, right: 2, middle: 4 } as const;

/** Moves there, presses and lets go, as often as asked. */
export const pressMouse = async (
  attached: Debugger,
  point: Point,
  { button, isDouble, modifiers }: { button: 'left' | 'right' | 'middle'; isDouble: boolean; modifiers: readonly Modifier[] },
): Promise<void> => {
  // A hidden tab takes input only after seconds; with this it behaves as if it were shown.
  await attached.send('Emulation.setFocusEmulationEnabled', { enabled: true });
  const common = { ...point, modifiers: modifiers.reduce((bits, modifier) => bits | MODIFIER_BITS[modifier], 0) };
  const send = (type: string, more: Record<string, unknown>): Promise<unknown> =>
    attached.send('Input.dispatchMouseEvent', { type, ...common, ...more });
  await send('mouseMoved', {});
  for (let clickCount = 1; clickCount <= (isDouble ? 2 : 1); clickCount += 1) {
    await send('mousePressed', { button, buttons: BUTTON_BITS[button], clickCount });
    await send('mouseReleased', { button, buttons: 0, clickCount });
  }
};
