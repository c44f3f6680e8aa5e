/** What is drawn on a picture: shapes that can be taken back, on any surface that takes lines. */
import { describe, expect, test } from 'vitest';
import { Drawing, type Surface } from '#extension/sidepanel/drawing.ts';

const record = (): { surface: Surface; drawn: string[] } => {
  const drawn: string[] = [];
  const line = (name: string) => (x: number, y: number) => void drawn.push(`${name} ${Math.round(x)} ${Math.round(y)}`);
  return {
    drawn,
    surface: {
      beginPath: () => void drawn.push('begin'),
      moveTo: line('move'),
      lineTo: line('line'),
      stroke: () => void drawn.push('stroke'),
    },
  };
};

describe('a drawing', () => {
  test('follows the pen, and makes a box and an arrow of where they begin and end', () => {
    const drawing = new Drawing({ width: 1000, height: 500 });
    drawing.begin('pen', { x: 1, y: 2 });
    drawing.move({ x: 3, y: 4 });
    drawing.end({ x: 5, y: 6 });
    drawing.begin('box', { x: 10, y: 20 });
    drawing.end({ x: 110, y: 70 });
    drawing.begin('arrow', { x: 100, y: 100 });
    drawing.end({ x: 300, y: 100 });
    const { surface, drawn } = record();
    drawing.paint(surface);

    const [pen, box, arrow] = drawn.join(', ').split('begin, ').slice(1);
    expect(pen).toBe('move 1 2, line 3 4, line 5 6, stroke, ');
    expect(box).toBe('move 10 20, line 110 20, line 110 70, line 10 70, line 10 20, stroke, ');
    expect(arrow).toMatch(/^move 100 100, line 300 100, move 2\d\d \d+, line 300 100, line 2\d\d \d+, stroke$/);
  });

  test('loses its last shape by undo, keeps what has no length out, and stays within the picture', () => {
    const drawing = new Drawing({ width: 100, height: 50 });
    drawing.begin('box', { x: 5, y: 5 });
    drawing.end({ x: 6, y: 5 });
    expect(drawing.count).toBe(0);
    drawing.begin('box', { x: 5, y: 5 });
    drawing.end({ x: 900, y: -30 });
    drawing.begin('pen', { x: 5, y: 5 });
    drawing.end({ x: 50, y: 5 });
    expect(drawing.count).toBe(2);
    drawing.undo();
    const { surface, drawn } = record();
    drawing.paint(surface);

    expect(drawn).toContain('line 100 0');
    expect(drawn.filter((step) => step === 'begin')).toHaveLength(1);
    drawing.undo();
    drawing.undo();
    expect(drawing.count).toBe(0);
  });
});
