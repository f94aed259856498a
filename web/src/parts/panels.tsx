// SPDX-License-Identifier: Apache-2.0
// All panels of a picture, side by side and linked: what is under the pointer lights up everywhere.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { PictureJson } from '../engine/answers';
import { Grid, type Place } from '../picture/grid';
import { PanelSource, type Cell } from '../picture/source';
import { Legend } from './legend';

export function placeText(cell: Cell): string {
  const parts = [cell.coordinate === '' ? '' : /^[-\d]/.test(cell.coordinate) ? `(${cell.coordinate})` : cell.coordinate];
  if (cell.text !== '' && cell.text !== cell.coordinate) parts.push(cell.text.replace('\n', ' '));
  if (cell.offset !== undefined && !cell.coordinate.startsWith('word') && String(cell.offset) !== cell.text) parts.push(`offset ${cell.offset}`);
  if (cell.kind === 'padding') parts.push('padding');
  if (cell.detail !== '') parts.push(cell.detail);
  return parts.filter((text) => text !== '').join(' · ');
}

export interface PanelsProps {
  picture: PictureJson;
  /** How cells of different panels correspond; by default by the picture's links, else by coordinates. */
  same?: (a: Cell, b: Cell) => boolean;
  onPlace?: (panel: number, place: Place) => void;
  onDrag?: (panel: number, from: Place, to: Place) => void;
  tallest?: number;
}

export function sameLink(a: Cell, b: Cell): boolean {
  if (a.link !== undefined && b.link !== undefined) return a.link === b.link;
  return a.coordinate !== '' && a.coordinate === b.coordinate;
}

export function Panels(props: PanelsProps): JSX.Element {
  const { picture, same = sameLink } = props;
  const sources = useMemo(() => picture.panels.map((panel) => new PanelSource(panel, picture)), [picture]);
  const [over, setOver] = useState<Cell | null>(null);
  const [pin, setPin] = useState<{ panel: number; at: [number, number]; cell: Cell } | null>(null);
  const shown = over ?? pin?.cell ?? null;
  return (
    <div class="picture">
      <div class="panels">
        {sources.map((source, i) => (
          <figure key={`${i} ${source.panel.caption}`} style={{ flexGrow: Math.max(1, Math.min(source.columns, 48)) }}>
            {(source.panel.caption !== '' || sources.length > 1) && <figcaption>{source.panel.caption || picture.title}</figcaption>}
            <Grid
              source={source} label={source.panel.caption || picture.title} tallest={props.tallest ?? 420}
              lit={shown ? (cell) => same(shown, cell) : null}
              pinned={pin?.panel === i ? pin.at : null}
              onHover={(place) => setOver(place?.cell ?? null)}
              onPin={(place) => {
                setPin(place && { panel: i, at: [place.row, place.column], cell: place.cell });
                if (place) props.onPlace?.(i, place);
              }}
              {...(props.onDrag && i === 0 ? { onDrag: (from: Place, to: Place) => props.onDrag?.(i, from, to) } : {})}
            />
          </figure>
        ))}
      </div>
      <p class="readout" aria-live="polite">{shown ? placeText(shown) : 'Point at a cell, or use the arrow keys.'}</p>
      <Legend palette={picture.colors} title={picture.legend_title} entries={picture.legend} strip={picture.scale === 'sequential' || picture.scale === 'banded'} />
      {picture.notes.map((note) => <p class="note" key={note}>{note}</p>)}
    </div>
  );
}
