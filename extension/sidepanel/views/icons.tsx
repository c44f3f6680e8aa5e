/** Line icons of Lucide at 16 px, in the colour of the text around them, and Pilotfish's own sign. */
import {
  Activity,
  Archive,
  ArrowDown,
  ArrowUp,
  Camera,
  Check,
  ChevronDown,
  ChevronRight,
  CircleStop,
  Copy,
  Diff,
  Download,
  Ellipsis,
  ExternalLink,
  FileText,
  Focus,
  Folder,
  GitFork,
  Globe,
  Info,
  Lightbulb,
  List,
  Menu,
  MoveUpRight,
  Paperclip,
  Pencil,
  Pin,
  Plus,
  RectangleHorizontal,
  RotateCw,
  Search,
  Settings,
  Shield,
  SlidersHorizontal,
  SquareDashed,
  SquareMousePointer,
  SquareTerminal,
  TextQuote,
  TriangleAlert,
  Undo2,
  Workflow,
  Wrench,
  X,
  type IconNode,
} from 'lucide';
import { createElement, type JSX } from 'preact';
import type { ToolKind } from '#protocol/items.ts';

const drawings = {
  fork: GitFork,
  retry: RotateCw,
  open: ExternalLink,
  menu: Menu,
  plus: Plus,
  close: X,
  check: Check,
  chevron: ChevronRight,
  up: ArrowUp,
  changes: Diff,
  pulse: Activity,
  down: ArrowDown,
  caret: ChevronDown,
  gear: Settings,
  pin: Pin,
  archive: Archive,
  send: ArrowUp,
  stop: CircleStop,
  clip: Paperclip,
  more: Ellipsis,
  copy: Copy,
  folder: Folder,
  warning: TriangleAlert,
  info: Info,
  read: FileText,
  edit: Pencil,
  execute: SquareTerminal,
  search: Search,
  fetch: Download,
  browser: Globe,
  task: Workflow,
  think: Lightbulb,
  other: Wrench,
  camera: Camera,
  region: SquareDashed,
  box: RectangleHorizontal,
  arrow: MoveUpRight,
  undo: Undo2,
  quote: TextQuote,
  target: Focus,
  pointer: SquareMousePointer,
  list: List,
  sliders: SlidersHorizontal,
  shield: Shield,
} satisfies Record<ToolKind, IconNode> & Record<string, IconNode>;

export type IconName = keyof typeof drawings;

/** A screen reader skips it: the text beside it or the button's label says what it means. */
export const Icon = ({ name }: { name: IconName }): JSX.Element => (
  <svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
    {drawings[name].map(([shape, attributes]) => createElement(shape, attributes))}
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
