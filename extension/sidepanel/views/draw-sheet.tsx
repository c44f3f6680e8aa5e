/** Drawing on a picture before it is sent: pen, box and arrow, by mouse, finger or keys. Loaded when it is first opened. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Drawing, type DrawTool, type Place } from '../drawing.ts';
import type { Attached } from '../outbox.ts';
import { Icon, type IconName } from './icons.tsx';
import { Sheet } from './parts.tsx';
import { useScene } from './scene.ts';

export interface DrawSheetProps {
  readonly file: Attached;
  readonly onDone: (drawn: Pick<Attached, 'mimeType' | 'dataBase64'>) => void;
  readonly onClose: () => void;
}

const tools: Readonly<Record<DrawTool, { icon: IconName; key: string }>> = {
  pen: { icon: 'edit', key: 'p' },
  box: { icon: 'box', key: 'b' },
  arrow: { icon: 'arrow', key: 'a' },
};
const toolNames = ['pen', 'box', 'arrow'] as const;

/** Seen on every ground: a red line with a white rim. */
const STROKES = [
  { style: '#ffffff', width: 1.9 },
  { style: '#d6001c', width: 1 },
] as const;

const JPEG_QUALITY = 0.9;

export const DrawSheet = ({ file, onDone, onClose }: DrawSheetProps): JSX.Element => {
  const { t } = useScene();
  const [tool, setTool] = useState<DrawTool>('pen');
  const { surface, drawing, count, redraw, take } = useSurface(file);
  const onKeyDown = (event: KeyboardEvent): void => {
    const named = toolNames.find((name) => tools[name].key === event.key.toLowerCase());
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') drawing()?.undo();
    else if (named !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) setTool(named);
    // A shape that is begun is given up first, and the sheet stays open.
    else if (event.key === 'Escape' && drawing()?.isDrawing === true) drawing()?.undo();
    else return;
    event.preventDefault();
    redraw();
  };
  return (
    <Sheet title={t('draw')} onClose={onClose}>
      <div class="draw" onKeyDown={onKeyDown}>
        <div class="draw-tools" role="toolbar" aria-label={t('draw_tools')}>
          {toolNames.map((name) => (
            <button
              key={name}
              type="button"
              class="ghost"
              aria-pressed={tool === name}
              aria-label={t(`draw_${name}`)}
              title={t('aside', { text: t(`draw_${name}`), aside: tools[name].key.toUpperCase() })}
              onClick={() => setTool(name)}
            >
              <Icon name={tools[name].icon} />
            </button>
          ))}
          <button
            type="button"
            class="ghost"
            disabled={count === 0}
            aria-label={t('undo')}
            title={`${t('undo')} (Ctrl+Z)`}
            onClick={() => {
              drawing()?.undo();
              redraw();
            }}
          >
            <Icon name="undo" />
          </button>
          <span class="spacer" />
          <button
            type="button"
            class="primary"
            disabled={count === 0}
            onClick={() => {
              onDone(take());
              onClose();
            }}
          >
            {t('draw_done')}
          </button>
        </div>
        <DrawSurface canvas={surface} tool={tool} drawing={drawing} redraw={redraw} />
        <p class="muted small-text">{t('draw_hint')}</p>
      </div>
    </Sheet>
  );
};

interface SurfaceState {
  readonly surface: (canvas: HTMLCanvasElement | null) => void;
  readonly drawing: () => Drawing | null;
  /** Finished shapes. */
  readonly count: number;
  /** Draws all of it again, with a cross where the keys are. */
  readonly redraw: (cross?: Place) => void;
  readonly take: () => Pick<Attached, 'mimeType' | 'dataBase64'>;
}

/** The picture, and what is drawn on it. */
const useSurface = ({ mimeType, dataBase64 }: Attached): SurfaceState => {
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const image = useRef<HTMLImageElement | null>(null);
  const drawing = useRef<Drawing | null>(null);
  const [count, setCount] = useState(0);

  const redraw = (cross?: Place): void => {
    const context = canvas.current?.getContext('2d') ?? null;
    if (context === null || image.current === null || drawing.current === null) return;
    const { width, height } = context.canvas;
    context.drawImage(image.current, 0, 0);
    context.lineCap = 'round';
    context.lineJoin = 'round';
    const lineWidth = Math.max(3, Math.max(width, height) / 250);
    for (const { style, width: share } of STROKES) {
      context.strokeStyle = style;
      context.lineWidth = lineWidth * share;
      drawing.current.paint(context);
      if (cross !== undefined) strokeCross(context, cross, lineWidth * 5);
    }
    setCount(drawing.current.count);
  };

  useEffect(() => {
    const picture = new Image();
    picture.addEventListener('load', () => {
      if (canvas.current === null) return;
      const size = { width: picture.naturalWidth, height: picture.naturalHeight };
      Object.assign(canvas.current, size);
      image.current = picture;
      drawing.current = new Drawing(size);
      canvas.current.dataset['ready'] = '';
      redraw();
    });
    picture.src = `data:${mimeType};base64,${dataBase64}`;
  }, [mimeType, dataBase64]);

  return {
    surface: (element) => {
      canvas.current = element;
    },
    drawing: () => drawing.current,
    count,
    redraw,
    take: () => {
      redraw();
      const type = mimeType === 'image/jpeg' ? mimeType : 'image/png';
      const url = canvas.current?.toDataURL(type, JPEG_QUALITY) ?? '';
      return { mimeType: type, dataBase64: url.slice(url.indexOf(',') + 1) };
    },
  };
};

const strokeCross = (context: CanvasRenderingContext2D, { x, y }: Place, arm: number): void => {
  context.beginPath();
  context.moveTo(x - arm, y);
  context.lineTo(x + arm, y);
  context.moveTo(x, y - arm);
  context.lineTo(x, y + arm);
  context.stroke();
};

/** An arrow key moves the cross by this part of the picture, with Shift by less. */
const STEP = { usual: 1 / 30, fine: 1 / 150 };

const DrawSurface = ({
  canvas,
  tool,
  drawing,
  redraw,
}: {
  canvas: SurfaceState['surface'];
  tool: DrawTool;
  drawing: SurfaceState['drawing'];
  redraw: SurfaceState['redraw'];
}): JSX.Element => {
  const { t } = useScene();
  const cross = useRef<Place | null>(null);

  const placeOf = ({ clientX, clientY, currentTarget }: PointerEvent): Place => {
    if (!(currentTarget instanceof HTMLCanvasElement)) return { x: 0, y: 0 };
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    return { x: ((clientX - left) / width) * currentTarget.width, y: ((clientY - top) / height) * currentTarget.height };
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { currentTarget, key, shiftKey } = event;
    const shapes = drawing();
    if (!(currentTarget instanceof HTMLCanvasElement) || shapes === null || event.ctrlKey || event.metaKey) return;
    const { width, height } = currentTarget;
    const step = (shiftKey ? STEP.fine : STEP.usual) * Math.max(width, height);
    const steps: Partial<Record<string, Place>> = {
      ArrowUp: { x: 0, y: -step },
      ArrowDown: { x: 0, y: step },
      ArrowLeft: { x: -step, y: 0 },
      ArrowRight: { x: step, y: 0 },
    };
    const by = steps[key];
    const { x, y } = cross.current ?? { x: width / 2, y: height / 2 };
    const at = { x: clamp(x + (by?.x ?? 0), width), y: clamp(y + (by?.y ?? 0), height) };
    if (by !== undefined) shapes.move(at);
    else if (key !== ' ' && key !== 'Enter') return;
    else if (shapes.isDrawing) shapes.end(at);
    else shapes.begin(tool, at);
    cross.current = at;
    event.preventDefault();
    redraw(at);
  };

  return (
    <canvas
      ref={canvas}
      class="draw-surface"
      tabIndex={0}
      role="img"
      aria-label={t('draw_surface')}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        cross.current = null;
        drawing()?.begin(tool, placeOf(event));
      }}
      onPointerMove={(event) => {
        if (drawing()?.isDrawing !== true || cross.current !== null) return;
        drawing()?.move(placeOf(event));
        redraw();
      }}
      onPointerUp={(event) => {
        if (drawing()?.isDrawing !== true || cross.current !== null) return;
        drawing()?.end(placeOf(event));
        redraw();
      }}
    />
  );
};

const clamp = (value: number, limit: number): number => Math.min(Math.max(0, value), limit);
