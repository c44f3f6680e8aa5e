/** What a person draws on a picture: shapes in pixels of the picture, the last of which can be taken back. */

export type DrawTool = 'pen' | 'box' | 'arrow';

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** What of a canvas is needed to draw lines. */
export type Surface = Pick<CanvasRenderingContext2D, 'beginPath' | 'moveTo' | 'lineTo' | 'stroke'>;

interface Shape {
  readonly tool: DrawTool;
  readonly places: readonly Place[];
}

/** A shorter one is a click. */
const MIN_PX = 3;

/** The lengths of an arrow's head, and its angle. */
const HEAD = { share: 0.3, min: 10, max: 40, angle: 0.5 };

export class Drawing {
  readonly #size: { readonly width: number; readonly height: number };
  #shapes: readonly Shape[] = [];
  #current: Shape | null = null;

  constructor(size: { readonly width: number; readonly height: number }) {
    this.#size = size;
  }

  /** Finished shapes. */
  get count(): number {
    return this.#shapes.length;
  }

  get isDrawing(): boolean {
    return this.#current !== null;
  }

  begin(tool: DrawTool, at: Place): void {
    this.#current = { tool, places: [this.#within(at)] };
  }

  move(to: Place): void {
    if (this.#current === null) return;
    const { tool, places } = this.#current;
    this.#current = { tool, places: [...(tool === 'pen' ? places : places.slice(0, 1)), this.#within(to)] };
  }

  end(at: Place): void {
    this.move(at);
    if (this.#current !== null && lengthOf(this.#current) >= MIN_PX) this.#shapes = [...this.#shapes, this.#current];
    this.#current = null;
  }

  /** Gives up what is begun, or takes the last shape back. */
  undo(): void {
    if (this.#current === null) this.#shapes = this.#shapes.slice(0, -1);
    this.#current = null;
  }

  paint(surface: Surface): void {
    for (const shape of this.#current === null ? this.#shapes : [...this.#shapes, this.#current]) {
      surface.beginPath();
      for (const line of linesOf(shape)) {
        const [first, ...others] = line;
        if (first === undefined) continue;
        surface.moveTo(first.x, first.y);
        for (const { x, y } of others) surface.lineTo(x, y);
      }
      surface.stroke();
    }
  }

  #within({ x, y }: Place): Place {
    return { x: Math.min(Math.max(0, x), this.#size.width), y: Math.min(Math.max(0, y), this.#size.height) };
  }
}

const lengthOf = ({ places }: Shape): number => {
  const [first] = places;
  return first === undefined ? 0 : Math.max(...places.map(({ x, y }) => Math.hypot(x - first.x, y - first.y)));
};

const linesOf = ({ tool, places }: Shape): readonly (readonly Place[])[] => {
  const [from, to] = [places[0], places.at(-1)];
  if (tool === 'pen' || from === undefined || to === undefined) return [places];
  if (tool === 'box') return [[from, { x: to.x, y: from.y }, to, { x: from.x, y: to.y }, from]];
  const length = Math.min(HEAD.max, Math.max(HEAD.min, Math.hypot(to.x - from.x, to.y - from.y) * HEAD.share));
  const back = Math.atan2(from.y - to.y, from.x - to.x);
  const side = (angle: number): Place => ({ x: to.x + length * Math.cos(back + angle), y: to.y + length * Math.sin(back + angle) });
  return [
    [from, to],
    [side(HEAD.angle), to, side(-HEAD.angle)],
  ];
};
