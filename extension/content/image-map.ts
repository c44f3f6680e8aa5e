/** Places of a picture that lead somewhere: https://html.spec.whatwg.org/multipage/image-maps.html */
import { treeOf } from './composed.ts';

/** The areas of a picture, in the order of its map. */
export const areasOf = (image: Element): HTMLAreaElement[] => {
  if (!(image instanceof HTMLImageElement) || image.useMap === '') return [];
  const map = [...mapsBeside(image)].find(({ name }) => `#${name}` === image.useMap);
  return [...(map?.areas ?? [])].filter((area): area is HTMLAreaElement => area instanceof HTMLAreaElement);
};

/** The picture on which an area lies. */
export const imageUnder = (area: HTMLAreaElement): HTMLImageElement | null =>
  [...(treeOf(area)?.querySelectorAll<HTMLImageElement>('img[usemap]') ?? [])].find((image) => areasOf(image).includes(area)) ?? null;

/** What is around an area, for it has no box of its own. */
export const boxOfArea = (area: HTMLAreaElement): DOMRect => {
  const image = imageUnder(area);
  if (image === null) return new DOMRect();
  const { x, y, width, height } = image.getBoundingClientRect();
  const at = area.coords.split(',').map(Number);
  const [first = 0, second = 0, third = 0] = at;
  if (area.shape === 'circle') return new DOMRect(x + first - third, y + second - third, 2 * third, 2 * third);
  if (area.shape === 'default') return new DOMRect(x, y, width, height);
  const [across, down] = [0, 1].map((side) => at.filter((_, index) => index % 2 === side));
  const [left, top] = [Math.min(...(across ?? [])), Math.min(...(down ?? []))];
  return new DOMRect(x + left, y + top, Math.max(...(across ?? [])) - left, Math.max(...(down ?? [])) - top);
};

const mapsBeside = (element: Element): Iterable<HTMLMapElement> => treeOf(element)?.querySelectorAll('map') ?? [];
