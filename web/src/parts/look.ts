// SPDX-License-Identifier: Apache-2.0
// Light or dark, and the colors that canvases need from the style sheet.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Look } from '../picture/draw';

export type Theme = 'auto' | 'light' | 'dark';

export function isDark(theme: Theme): boolean {
  return theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
}

export function readLook(theme: Theme, patterns: boolean): Look {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: color('panel'), ink: color('text'), soft: color('soft'), line: color('grid'), frame: color('frame'), padding: color('padding'),
    hatch: color('hatch'), mark: color('read'), accent: color('mark'), dark: isDark(theme), patterns,
  };
}

export const LookContext = createContext<Look | null>(null);

export function useLook(): Look {
  const look = useContext(LookContext);
  if (!look) throw new Error('no look');
  return look;
}
