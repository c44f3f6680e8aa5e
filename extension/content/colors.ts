/** Colours as styles compute them: whether they paint, and whether a person could tell two of them apart. */

interface Color {
  readonly channels: readonly [red: number, green: number, blue: number];
  readonly alpha: number;
}

const MAX_KNOWN = 1_000;
/** A page has few, and asks for them with each of its elements. */
const known = new Map<string, Color | null>();

/** With less nobody sees it. */
const MIN_ALPHA = 0.05;
/** Two colours that differ by no more are one for the eye. */
const MAX_APART = 8;

/** Whether a computed colour paints nothing. */
export const isTransparent = (color: string): boolean => colorOf(color)?.alpha === 0;

/** Whether it covers what is under it. */
export const isOpaque = (color: string): boolean => colorOf(color)?.alpha === 1;

/** Whether what it paints is too little to be seen. */
export const isFaint = (color: string): boolean => (colorOf(color)?.alpha ?? 1) < MIN_ALPHA;

/** Whether what one paints cannot be told from the other one under it. */
export const isAlike = (over: string, under: string): boolean => {
  if (over === under) return true;
  const [one, other] = [colorOf(over), colorOf(under)];
  if (one === null || other === null) return false;
  return one.channels.every((channel, index) => Math.abs(channel - (other.channels[index] ?? 0)) * one.alpha <= MAX_APART);
};

/** The colours in the value of a property, as of a shadow or a gradient. */
export const colorsIn = (value: string): string[] => value.match(/\b(?:rgba?|color|oklab|oklch|lab|lch)\([^)]*\)/g) ?? [];

const RGB = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/;

/** Null for what is no colour. */
const colorOf = (text: string): Color | null => {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const [, red, green, blue, alpha = '1'] = RGB.exec(text) ?? [];
  const read: Color | null =
    red === undefined ? painted(text) : { channels: [Number(red), Number(green), Number(blue)], alpha: Number(alpha) };
  known.set(text, read);
  return read;
};

let paper: OffscreenCanvasRenderingContext2D | null = null;

/** What is written in another way is read by painting with it. */
const painted = (text: string): Color | null => {
  if (!CSS.supports('color', text)) return null;
  paper ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (paper === null) return null;
  paper.clearRect(0, 0, 1, 1);
  paper.fillStyle = text;
  paper.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = paper.getImageData(0, 0, 1, 1).data;
  return { channels: [red, green, blue], alpha: alpha / 255 };
};
