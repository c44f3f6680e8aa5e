/** Draws formulas as MathML. The code for it runs only when there is a first formula. */
import { sanitizeMaths } from './sanitize.ts';

/** No real formula is longer. */
const MAX_UNITS = 5_000;

/** Replaces the TeX of formulas by MathML; what is not TeX stays as it was written. */
export const drawMaths = async (root: ParentNode): Promise<void> => {
  const sources = root.querySelectorAll('code.language-maths, code.language-maths-displayed');
  if (sources.length === 0) return;
  // Where the extension was replaced while the panel was open it is gone, and formulas stay as they were written.
  const temml = await import('temml').then(
    (loaded) => loaded.default,
    () => null,
  );
  if (temml === null) return;
  for (const source of sources) {
    const tex = source.textContent;
    if (tex.length > MAX_UNITS) continue;
    const options = {
      displayMode: source.classList.contains('language-maths-displayed'),
      throwOnError: true,
      trust: false,
      maxExpand: 200,
    };
    try {
      source.replaceWith(sanitizeMaths(temml.renderToString(tex, options)));
    } catch {
      // It is not TeX, or TeX that temml does not know.
    }
  }
};
