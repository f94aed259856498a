// SPDX-License-Identifier: Apache-2.0
// A grid of cells on a canvas: pan, zoom, hover, pin, and the same by keyboard.
import type { JSX } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLook } from '../parts/look';
import { drawFrame, type Frame, type Gutters, type View } from './draw';
import type { Cell, Source } from './source';

export interface Place {
  row: number;
  column: number;
  cell: Cell;
}

export interface GridProps {
  source: Source;
  /** What it shows, for readers of screens. */
  label: string;
  lit?: ((cell: Cell, row: number, column: number) => boolean) | null;
  pinned?: [number, number] | null;
  onHover?: (place: Place | null) => void;
  onPin?: (place: Place | null) => void;
  /** Called while the pointer is dragged over cells; then it does not move the picture. */
  onDrag?: (from: Place, to: Place) => void;
  /** Moves the picture so that this cell is seen, each time that it changes. */
  reveal?: [number, number] | null;
  lineName?: (kind: 'row' | 'column', at: number) => string;
  tallest?: number;
}

// The room for labels: one column of numbers, one row, and the dimension lines.
function guttersOf(source: Source, lineName: (kind: 'row' | 'column', at: number) => string): Gutters {
  const rows = source.rowLabels(), columns = source.columnLabels();
  const longest = rows ? Math.max(0, ...(rows[rows.length - 1] ?? []).map((one) => one.text.length))
    : lineName('row', Math.max(0, source.rows - 1)).length;
  return {
    left: (source.rowName === '' ? 8 : 20) + Math.max(longest * 7, 8) + 8 + Math.max(0, (rows?.length ?? 1) - 1) * 22,
    top: 18 + Math.max(1, columns?.length ?? 1) * 15 + 2,
  };
}

// The longest text among some cells.
function longestText(source: Source): number {
  let longest = 1;
  const take = (row: number, column: number): void => {
    for (const line of (source.cell(row, column)?.text ?? '').split('\n')) longest = Math.max(longest, line.length);
  };
  const rows = Math.min(source.rows, 64), columns = Math.min(source.columns, 64);
  for (let r = 0; r < rows; ++r) for (let c = 0; c < columns; ++c) take(r, c);
  take(source.rows - 1, source.columns - 1);
  return longest;
}

function fitted(source: Source, room: number, tallest: number): View {
  const longest = longestText(source);
  const width = Math.max(24, longest * 7.4 + 8);
  if (source.columns * width <= room && (source.rows * 24 <= tallest * 1.6 || source.rows <= 64)) {
    // Text fits: as large as there is room, up to a size that is easy to read.
    const scale = Math.min(1.5, room / (source.columns * width), Math.max(1, tallest / (source.rows * 24)));
    return { x: 0, y: 0, width: width * scale, height: Math.max(24 * scale, Math.min(width * scale, 34)) };
  }
  const side = Math.min(room / source.columns, 24, Math.max(tallest / source.rows, source.columns > 40 ? 0 : 9));
  return { x: 0, y: 0, width: side, height: side };
}

export function Grid(props: GridProps): JSX.Element {
  const { source, label, tallest = 460 } = props;
  const look = useLook();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<View>({ x: 0, y: 0, width: 1, height: 1 });
  const drag = useRef<{ x: number; y: number; moved: boolean; from: Place | null } | null>(null);
  const asked = useRef(0);
  const [room, setRoom] = useState(0);
  const [height, setHeight] = useState(200);
  const ownName = props.lineName ?? ((_: 'row' | 'column', at: number) => String(at));
  const gutters = guttersOf(source, ownName);
  // Labels may fill a narrow column; the cells still have a size.
  const inner = Math.max(1, room - gutters.left - 2);
  const latest = useRef(props);
  latest.current = props;

  const clamp = useCallback((next: View): View => {
    const wide = room - gutters.left, tall = height - gutters.top;
    const keep = (at: number, size: number, all: number): number => (all <= size ? 0 : Math.min(0, Math.max(size - all, at)));
    return { ...next, x: keep(next.x, wide, next.width * source.columns), y: keep(next.y, tall, next.height * source.rows) };
  }, [room, height, source, gutters.left, gutters.top]);

  // The frame that was asked for draws with what is newest by then.
  const draw = useRef(() => {});
  draw.current = (): void => {
    const target = canvas.current;
    if (!target || room === 0) return;
    const begin = performance.now();
    const ratio = devicePixelRatio || 1;
    const wide = Math.round(room * ratio), tall = Math.round(height * ratio);
    if (target.width !== wide || target.height !== tall) {
      target.width = wide;
      target.height = tall;
    }
    const pen = target.getContext('2d');
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { lit, pinned } = latest.current;
    const frame: Frame = {
      source, view: view.current, gutters, size: { width: room, height }, look, lit: lit ?? null, pinned: pinned ?? null, lineName: ownName,
    };
    drawFrame(pen, frame);
    target.dataset['milliseconds'] = (performance.now() - begin).toFixed(2);
    target.dataset['drawnfor'] = String(source.rows);
    if (performance.getEntriesByName('picture').length === 0) performance.mark('picture');
  };
  const redraw = useCallback((): void => {
    asked.current ||= requestAnimationFrame(() => {
      asked.current = 0;
      draw.current();
    });
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setRoom(Math.floor(element.clientWidth)));
    observer.observe(element);
    setRoom(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);

  const refit = useCallback((): void => {
    if (room === 0) return;
    view.current = fitted(source, inner, tallest - gutters.top);
    const whole = view.current.height * source.rows + gutters.top + 3;
    setHeight(Math.ceil(whole <= tallest * 1.3 ? whole : tallest));
    redraw();
  }, [source, room, inner, tallest, gutters.top, redraw]);

  const longest = useMemo(() => longestText(source), [source]);
  const kind = `${longest} ${source.rows} ${source.columns} ${room} ${source.rowName} ${source.columnName}`;
  const before = useRef('');
  useLayoutEffect(() => {
    // The same grid with other colors keeps its place.
    if (before.current !== kind) refit();
    before.current = kind;
    redraw();
  }, [kind, refit, redraw]);
  useEffect(() => source.listen(() => {
    // The first texts may be longer than a cell.
    redraw();
  }), [source, redraw]);
  useEffect(redraw, [props.lit, props.pinned, look, height, redraw]);
  useEffect(() => {
    const { reveal } = props;
    if (!reveal) return;
    const at = view.current;
    const wide = room - gutters.left, tall = height - gutters.top;
    const x = at.x + reveal[1] * at.width, y = at.y + reveal[0] * at.height;
    if (x >= 0 && x + at.width <= wide && y >= 0 && y + at.height <= tall) return;
    view.current = clamp({ ...at, x: wide / 2 - (reveal[1] + 0.5) * at.width, y: tall / 2 - (reveal[0] + 0.5) * at.height });
    redraw();
  }, [props.reveal?.[0], props.reveal?.[1], clamp, redraw]);

  const placeAt = (event: { clientX: number; clientY: number }): Place | null => {
    const bounds = canvas.current?.getBoundingClientRect();
    if (!bounds) return null;
    const column = Math.floor((event.clientX - bounds.left - gutters.left - view.current.x) / view.current.width);
    const row = Math.floor((event.clientY - bounds.top - gutters.top - view.current.y) / view.current.height);
    return place(row, column);
  };
  const place = (row: number, column: number): Place | null => {
    if (row < 0 || column < 0 || row >= source.rows || column >= source.columns) return null;
    const cell = source.cell(row, column);
    if (!cell) {
      source.need([row, row + 1], [column, column + 1], 1);
      return null;
    }
    return cell.kind === 'none' ? null : { row, column, cell };
  };

  const zoom = (factor: number, at?: { x: number; y: number }): void => {
    const old = view.current;
    const least = Math.min(2, inner / source.columns, (height - gutters.top) / source.rows);
    const next = Math.max(least, Math.min(72, old.height * factor));
    const scale = next / old.height;
    const x = at ? at.x - gutters.left : (room - gutters.left) / 2, y = at ? at.y - gutters.top : (height - gutters.top) / 2;
    // Square cells become as wide as their text when there is room for it.
    view.current = clamp({ x: x - (x - old.x) * scale, y: y - (y - old.y) * scale, width: old.width * scale, height: next });
    redraw();
  };

  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    drag.current = { x: event.clientX, y: event.clientY, moved: false, from: placeAt(event) };
    try { canvas.current?.setPointerCapture(event.pointerId); } catch { /* a pointer that has gone */ }
  };
  const move = (event: PointerEvent): void => {
    const { onHover, onDrag } = latest.current;
    const held = drag.current;
    if (held && (held.moved || Math.hypot(event.clientX - held.x, event.clientY - held.y) > 3)) {
      held.moved = true;
      if (onDrag) {
        const to = placeAt(event);
        if (held.from && to) onDrag(held.from, to);
        return;
      }
      view.current = clamp({ ...view.current, x: view.current.x + event.clientX - held.x, y: view.current.y + event.clientY - held.y });
      held.x = event.clientX;
      held.y = event.clientY;
      redraw();
      return;
    }
    onHover?.(placeAt(event));
  };
  const up = (event: PointerEvent): void => {
    const held = drag.current;
    drag.current = null;
    if (held && !held.moved) latest.current.onPin?.(placeAt(event));
  };

  const wheel = useCallback((event: WheelEvent): void => {
    if (event.ctrlKey || event.metaKey) {
      const bounds = canvas.current?.getBoundingClientRect();
      if (!bounds) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - bounds.left, y: event.clientY - bounds.top });
      return;
    }
    const unit = event.deltaMode === 1 ? 16 : 1;
    const next = clamp({ ...view.current, x: view.current.x - (event.shiftKey ? event.deltaY : event.deltaX) * unit, y: view.current.y - (event.shiftKey ? 0 : event.deltaY) * unit });
    if (next.x === view.current.x && next.y === view.current.y) return; // the page scrolls
    event.preventDefault();
    view.current = next;
    redraw();
  }, [clamp, redraw]);
  useEffect(() => {
    const target = canvas.current;
    target?.addEventListener('wheel', wheel, { passive: false });
    return () => target?.removeEventListener('wheel', wheel);
  }, [wheel]);

  const key = (event: KeyboardEvent): void => {
    const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    if (step && props.onPin) {
      const [row, column] = props.pinned ?? [-step[0], -step[1]];
      const far = event.shiftKey ? 8 : 1;
      const next = place(Math.max(0, Math.min(source.rows - 1, row + step[0] * far)), Math.max(0, Math.min(source.columns - 1, column + step[1] * far)));
      if (next) props.onPin(next);
      event.preventDefault();
    } else if (event.key === '+' || event.key === '=') {
      zoom(1.25);
    } else if (event.key === '-') {
      zoom(0.8);
    } else if (event.key === '0') {
      refit();
    } else if (event.key === 'Escape') {
      props.onPin?.(null);
    } else {
      return;
    }
  };

  const overflows = view.current.width * source.columns > room - gutters.left + 1 || view.current.height * source.rows > height - gutters.top + 1;
  return (
    <div class="grid" ref={box}>
      <canvas
        ref={canvas} tabIndex={0} role="application" aria-label={`${label}. Arrow keys move the pin, plus and minus zoom, zero fits.`}
        data-rows={source.rows} data-columns={source.columns}
        style={{ width: '100%', height: `${height}px`, cursor: overflows && !props.onDrag ? 'grab' : 'crosshair' }}
        onPointerDown={down} onPointerMove={move} onPointerUp={up}
        onPointerLeave={() => { if (!drag.current) props.onHover?.(null); }}
        onKeyDown={key}
      />
      <div class="zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(1.4)}>+</button>
        <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => zoom(1 / 1.4)}>−</button>
        <button type="button" aria-label="Fit" title="Fit (0)" onClick={refit}>⤢</button>
      </div>
    </div>
  );
}
