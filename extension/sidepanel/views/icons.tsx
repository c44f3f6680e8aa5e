/** Line icons, drawn on a 16 × 16 grid in the colour of the text around them. */
import type { JSX } from 'preact';
import type { ToolKind } from '#protocol/items.ts';

const paths = {
  fork: 'M5 3v4a3 3 0 003 3h3M5 3v10M9 7.5L11.5 10 9 12.5',
  retry: 'M12.5 8a4.5 4.5 0 11-1.4-3.2M12.5 2.5v3h-3',
  open: 'M9 3h4v4M13 3L7.5 8.5M11 9.5V13H3V5h3.5',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.2 3.2L13 5',
  chevron: 'M6 3.5L10.5 8 6 12.5',
  up: 'M8 13V3M4 7l4-4 4 4',
  changes: 'M5 2.5v5M2.5 5h5M2.5 12.5h5M9 13.5L13.5 3',
  pulse: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  down: 'M8 3v10M4 9l4 4 4-4',
  caret: 'M4.5 6.5L8 10l3.5-3.5',
  gear: 'M8 5.8a2.2 2.2 0 100 4.4 2.2 2.2 0 000-4.4zM6.9 2h2.2l.4 1.7 1.4.8 1.7-.5 1.1 1.9-1.3 1.2v1.6l1.3 1.2-1.1 1.9-1.7-.5-1.4.8-.4 1.7H6.9l-.4-1.7-1.4-.8-1.7.5-1.1-1.9 1.3-1.2V7.1L2.3 5.9 3.4 4l1.7.5 1.4-.8z',
  pin: 'M6 2h4l-.5 4L12 8.5v1H4v-1L6.5 6zM8 9.5V14',
  archive: 'M2 3h12v3H2zM3 6v7h10V6M6.5 8.5h3',
  send: 'M8 13V3M3.5 7.5L8 3l4.5 4.5',
  stop: 'M4.5 4.5h7v7h-7z',
  clip: 'M12.5 7.5l-5 5a3 3 0 01-4.2-4.2l5.6-5.6a2 2 0 012.8 2.8L6.2 11a1 1 0 01-1.4-1.4l4.7-4.7',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  folder: 'M2 4.5h4l1.5 2H14v6H2z',
  warning: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.4h.01',
  info: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 7.3V11M8 5h.01',
  read: 'M4 2h5l3 3v9H4zM9 2v3h3M6 8.5h4M6 11h4',
  edit: 'M3 13l.8-3L11 2.8 13.2 5 6 12.2z',
  execute: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.5h3',
  search: 'M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.3 10.3L14 14',
  fetch: 'M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10',
  browser: 'M8 2a6 6 0 100 12A6 6 0 008 2zM2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12',
  task: 'M3 3h4v4H3zM9 9h4v4H9zM5 7v4h4',
  think: 'M8 2.2a4 4 0 00-2 7.5V11h4V9.7a4 4 0 00-2-7.5zM6.3 13.3h3.4',
  other:
    'M8 5.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5zM8 2v2M8 12v2M2 8h2M12 8h2M3.8 3.8l1.4 1.4M10.8 10.8l1.4 1.4M12.2 3.8l-1.4 1.4M5.2 10.8l-1.4 1.4',
  camera: 'M2 5h3l1-1.5h4L11 5h3v8H2zM8 6.7a2.1 2.1 0 100 4.2 2.1 2.1 0 000-4.2z',
  region: 'M2.5 5V2.5H5M7 2.5h2M11 2.5h2.5V5M13.5 7v2M13.5 11v2.5H11M9 13.5H7M5 13.5H2.5V11M2.5 9V7',
  box: 'M2.5 4h11v8h-11z',
  arrow: 'M3 13L13 3M7 3h6v6',
  undo: 'M6 3L2.5 6.5 6 10M2.5 6.5h7a4 4 0 010 8H7',
  quote: 'M3 3.5h10M3 6.5h10M3 9.5h6M3 12.5h4M12 9v4M10.8 9h2.4M10.8 13h2.4',
  target: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M8 6.5v3M6.5 8h3',
  pointer: 'M7 12H2.5V3h11v4M8 7.5l5.5 2.2-2.3 1-1 2.3z',
  list: 'M6 4h7M6 8h7M6 12h7M3 4h.01M3 8h.01M3 12h.01',
  sliders: 'M2 5h7M13 5h1M2 11h1M7 11h7M11 3.2a1.8 1.8 0 100 3.6 1.8 1.8 0 000-3.6zM5 9.2a1.8 1.8 0 100 3.6 1.8 1.8 0 000-3.6z',
  shield: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z',
} as const satisfies Record<ToolKind, string> & Record<string, string>;

export type IconName = keyof typeof paths;

/** A screen reader skips it: the text beside it or the button's label says what it means. */
export const Icon = ({ name }: { name: IconName }): JSX.Element => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);

/** The pilot fish: a slim body with its bands. */
export const Mark = (): JSX.Element => (
  <svg class="mark" viewBox="0 0 64 40" aria-hidden="true">
    <path class="mark-body" d="M4 20C14 7 34 5 48 17l12-8c-3 8-3 14 0 22l-12-8C34 35 14 33 4 20z" />
    <path class="mark-band" d="M19 10.5c-2.6 6-2.6 13 0 19M28 8.6c-3 7-3 16 0 23M37 10.6c-2.6 6-2.6 13 0 19" />
    <circle class="mark-eye" cx="12" cy="18" r="2" />
  </svg>
);
