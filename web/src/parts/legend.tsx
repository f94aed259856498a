// SPDX-License-Identifier: Apache-2.0
import type { JSX } from 'preact';
import type { LegendJson, Palette } from '../engine/answers';
import { useLook } from './look';

export function Legend(props: { palette: Palette; title: string; entries: LegendJson[]; strip: boolean }): JSX.Element | null {
  const look = useLook();
  const colors = look.dark ? props.palette.dark : props.palette.light;
  const own = props.entries.filter((entry) => entry.color !== null);
  const padding = props.entries.filter((entry) => entry.color === null);
  if (props.entries.length === 0 && props.title === '') return null;
  return (
    <p class="legend">
      {props.title !== '' && <span>{props.title}</span>}
      {props.strip && own.length === 2 ? (
        <>
          <span>{own[0]?.text}</span>
          <span class="strip" aria-hidden="true">{colors.map((color, i) => <i key={i} style={{ background: color }} />)}</span>
          <span>{own[1]?.text}</span>
        </>
      ) : own.map((entry) => (
        <span key={entry.text}><i class="swatch" style={{ background: colors[(entry.color ?? 0) % Math.max(colors.length, 1)] ?? look.paper }} />{entry.text}</span>
      ))}
      {padding.map((entry) => <span key={entry.text}><i class="swatch hatched" />{entry.text}</span>)}
    </p>
  );
}
