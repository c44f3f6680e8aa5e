/** Mermaid as a picture, in a thread of its own: the time that laying out a graph takes is not known before. */
import { renderMermaid } from 'beautiful-mermaid';
import { toDrawable, withSigns } from './diagram-source.ts';

/** The colours of the panel's code blocks: see sidepanel.css. */
const LIGHT = { bg: '#f4f7f8', fg: '#17222a', line: '#586974', accent: '#586974', muted: '#586974', surface: '#ffffff', border: '#8a99a3' };
const DARK = { bg: '#1c2328', fg: '#e4ebef', line: '#95a6b1', accent: '#95a6b1', muted: '#95a6b1', surface: '#14191d', border: '#5d6d78' };

/** An SVG for each theme; null when the source cannot be drawn whole. */
const draw = async (source: string): Promise<{ readonly light: string; readonly dark: string } | null> => {
  const drawable = toDrawable(source);
  if (drawable === null) return null;
  const drawn = await renderMermaid(drawable, { ...LIGHT, padding: 12, font: 'system-ui' });
  // The fonts that the library would load: as a picture it loads nothing anyway.
  const light = withSigns(drawn).replaceAll(/@import [^\n]*/g, '');
  return { light, dark: light.replace(/^<svg[^>]*>/, inDark) };
};

/** The library names its colours in the first tag, and nowhere else. */
const inDark = (tag: string): string =>
  Object.entries(DARK).reduce((rest, [name, colour]) => rest.replace(new RegExp(`--${name}:#\\w+`), `--${name}:${colour}`), tag);

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  // The library throws for what it does not know.
  draw(String(data)).then(
    (picture) => postMessage(picture),
    () => postMessage(null),
  );
});
