/** Colors and light of the pictures of the sample shop: SVG by code, the same on every machine. */

const channels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** A color between two, `share` of the way to the second. */
export function mix(from: string, to: string, share: number): string {
  const [a, b] = [channels(from), channels(to)];
  const mixed = a.map((value, at) => Math.round(value + ((b[at] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

export const lighter = (hex: string, share = 0.35): string => mix(hex, '#ffffff', share);
export const darker = (hex: string, share = 0.35): string => mix(hex, '#10141a', share);

/** What a drawing is painted with. */
export interface Colors {
  readonly main: string;
  readonly accent: string;
}

/** Fills that drawings name: a body lit from the left, one lit from above, and the same of the accent. */
export const fillsOf = ({ main, accent }: Colors): string =>
  [
    gradient('m', main, 'x1="0" y1="0" x2="1" y2="0"'),
    gradient('v', main, 'x1="0" y1="0" x2="0" y2="1"'),
    gradient('a', accent, 'x1="0" y1="0" x2="1" y2="0"'),
    gradient('w', '#c9995f', 'x1="0" y1="0" x2="1" y2="0.2"'),
    gradient('s', '#c3c9d0', 'x1="0" y1="0" x2="1" y2="0"'),
    gradient('k', '#3a4048', 'x1="0" y1="0" x2="1" y2="0"'),
    gradient('p', '#f4efe6', 'x1="0" y1="0" x2="1" y2="0"'),
  ].join('');

const gradient = (id: string, color: string, line: string): string =>
  `<linearGradient id="${id}" ${line}><stop offset="0" stop-color="${lighter(color, 0.18)}"/>` +
  `<stop offset=".28" stop-color="${lighter(color, 0.34)}"/><stop offset=".62" stop-color="${color}"/>` +
  `<stop offset="1" stop-color="${darker(color, 0.42)}"/></linearGradient>`;

/** A filled shape of one path. */
export const path = (d: string, fill: string, more = ''): string => `<path d="${d}" fill="${fill}" ${more}/>`;
/** A line without a filling. */
export const line = (d: string, color: string, width: number, more = ''): string =>
  `<path d="${d}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" ${more}/>`;
/** A box with round corners. */
export const box = (
  [x, y, width, height]: readonly [number, number, number, number],
  radius: number,
  fill: string,
  more = '',
): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}" ${more}/>`;
export const oval = (
  [x, y, rx, ry]: readonly [number, number, number, number],
  fill: string,
  more = '',
): string => `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}" ${more}/>`;
/** The gleam on what is smooth. */
export const gleam = (d: string, opacity = 0.4): string => path(d, '#fff', `opacity="${opacity}"`);
/** The same thing several times. */
export const times = (count: number, draw: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => draw(at)).join('');
export const group = (transform: string, inside: string): string =>
  `<g transform="${transform}">${inside}</g>`;
