/**
 * Draws Mermaid, in a page of its own within the panel: it has neither the rights of the extension nor a network, and a process that can be ended,
 * since nobody knows before how long a graph takes.
 */
import createPurifier, { type Config } from 'dompurify';
import mermaid, { type MermaidConfig } from 'mermaid';

/** The colours of the panel: see sidepanel.css. */
const LIGHT = {
  background: '#f4f7f8',
  primaryColor: '#d9edf1',
  primaryTextColor: '#17222a',
  primaryBorderColor: '#8a99a3',
  lineColor: '#586974',
  textColor: '#17222a',
};
const DARK = {
  background: '#1c2328',
  primaryColor: '#1d4650',
  primaryTextColor: '#e4ebef',
  primaryBorderColor: '#5d6d78',
  lineColor: '#95a6b1',
  textColor: '#e4ebef',
  edgeLabelBackground: '#1c2328',
  // Mermaid makes them a quarter darker; those that it finds itself would be black.
  ...Object.fromEntries(
    [
      '#6fb4c4',
      '#a9b766',
      '#c48f7d',
      '#9a8bc9',
      '#76bd93',
      '#c4a566',
      '#bf8bb0',
      '#8b9fc9',
      '#b5b5b5',
      '#6fc4b5',
      '#c97f8f',
      '#93b376',
    ].flatMap((colour, index) => [
      [`cScale${index}`, colour],
      [`cScaleLabel${index}`, '#14191d'],
      [`git${index}`, colour],
      [`gitBranchLabel${index}`, '#14191d'],
    ]),
  ),
};

type Colours = typeof LIGHT;

/** A source may choose none of these: a picture has the panel's colours and no HTML within it. */
const SETTLED = ['theme', 'themeVariables', 'themeCSS', 'darkMode', 'fontFamily', 'htmlLabels', 'layout', 'look', 'deterministicIds'];

const settings = (themeVariables: Colours): MermaidConfig => ({
  startOnLoad: false,
  securityLevel: 'strict',
  suppressErrorRendering: true,
  secure: ['secure', 'securityLevel', 'startOnLoad', 'suppressErrorRendering', 'maxTextSize', 'maxEdges', ...SETTLED],
  theme: 'base',
  themeVariables: { ...themeVariables, fontFamily: 'system-ui, sans-serif', fontSize: '14px' },
  htmlLabels: false,
  layout: 'dagre',
  // As wide as a panel about, in which a picture of the width of a page would have letters too small to read.
  gantt: { useWidth: 480, rightPadding: 40 },
  // Otherwise its labels would be HTML.
  journey: { textPlacement: 'tspan' },
  // Mermaid gives texts the colour of the box that they stand in, and lines that of the labels.
  themeCSS: `text:is(.journey-section, .task) { fill: ${themeVariables.textColor}; } .lineWrapper line { stroke: ${themeVariables.lineColor}; }`,
});

const CONFIG = {
  USE_PROFILES: { svg: true, svgFilters: true },
  FORBID_TAGS: ['a', 'foreignObject', 'image', 'use'],
  FORBID_ATTR: ['href', 'xlink:href'],
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} as const satisfies Config;

/** An address other than of a part of the picture itself. */
const ELSEWHERE = /@import|url\(\s*["']?(?!#)/i;

const purifier = createPurifier(window);
purifier.addHook('uponSanitizeAttribute', (_element, attribute) => {
  if (ELSEWHERE.test(attribute.attrValue)) attribute.keepAttr = false;
});

let drawings = 0;

/** An SVG as XML, as large as it was drawn. Rejects where Mermaid does not know what is written. */
const drawIn = async (source: string, colours: Colours): Promise<string> => {
  mermaid.initialize(settings(colours));
  drawings += 1;
  const { svg } = await mermaid.render(`drawing-${drawings}`, source);
  const root = purifier.sanitize(svg, CONFIG).querySelector('svg');
  if (root === null) throw new Error('nothing was drawn');
  for (const axis of root.querySelectorAll('.grid')) thinOut(axis);
  for (const style of root.querySelectorAll('style')) if (ELSEWHERE.test(style.textContent)) style.remove();
  const { width, height } = root.viewBox.baseVal;
  root.setAttribute('width', String(Math.ceil(width)));
  root.setAttribute('height', String(Math.ceil(height)));
  root.removeAttribute('style');
  return new XMLSerializer().serializeToString(root);
};

/** Mermaid labels each line of an axis of time, also where one label would lie over the next: only each so many of them stay. */
const thinOut = (axis: Element): void => {
  const ticks = Array.from(axis.querySelectorAll('.tick'), (tick) => ({
    left: Number(/translate\(([\d.]+)/.exec(tick.getAttribute('transform') ?? '')?.[1]),
    label: tick.querySelector('text'),
  }));
  const needed = Math.max(0, ...ticks.map(({ label }) => (label === null ? 0 : widthOf(label)))) + LABEL_GAP;
  const [nearest = needed] = ticks
    .slice(1)
    .map(({ left }, index) => left - (ticks[index]?.left ?? 0))
    .toSorted((one, other) => one - other);
  const step = Math.ceil(needed / nearest);
  for (const [index, { label }] of ticks.entries()) if (index % step !== 0) label?.remove();
};

const LABEL_GAP = 8;

const pen = document.createElement('canvas').getContext('2d');

const widthOf = (label: SVGTextElement): number => {
  if (pen === null) return 0;
  pen.font = `${label.getAttribute('font-size') ?? 10}px system-ui, sans-serif`;
  return pen.measureText(label.textContent).width;
};

addEventListener('message', ({ data, ports: [port] }: MessageEvent<unknown>) => {
  const source = String(data);
  drawIn(source, LIGHT)
    .then(async (light) => port?.postMessage({ light, dark: await drawIn(source, DARK) }))
    .catch(() => port?.postMessage(null));
});
