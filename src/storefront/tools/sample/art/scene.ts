import { type Colors, darker, fillsOf, lighter, mix } from './paint.ts';

/** How a thing is photographed: whole, from near, or on a stand in color. */
export type View = 'whole' | 'near' | 'stand';

const SIZE = 1200;

/**
 * A picture of a thing: its drawing on a ground of its department's color, with light from above and a shadow.
 *
 * @param drawing stands on the line y = 930 of a square of 1200
 * @param ground color of the department
 * @param isFlat it is seen from above and throws its shadow all around
 */
export function sceneOf(
  drawing: string,
  colors: Colors,
  { ground, view, isFlat }: { readonly ground: string; readonly view: View; readonly isFlat: boolean },
): string {
  const back = view === 'stand' ? mix(ground, colors.main, 0.45) : lighter(ground, 0.72);
  const floor = view === 'stand' ? darker(back, 0.22) : lighter(ground, 0.5);
  const shadow = isFlat
    ? '<ellipse cx="615" cy="640" rx="400" ry="380" fill="url(#h)" opacity=".45"/>'
    : '<ellipse cx="600" cy="935" rx="390" ry="58" fill="url(#h)"/>';
  const inside = `${view === 'stand' ? standOf(floor) : ''}${shadow}${drawing}`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}"><defs>` +
    `<radialGradient id="g" cx=".42" cy=".3" r=".95"><stop offset="0" stop-color="${lighter(back, 0.55)}"/>` +
    `<stop offset=".6" stop-color="${back}"/><stop offset="1" stop-color="${darker(back, 0.14)}"/></radialGradient>` +
    `<linearGradient id="f" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${floor}"/>` +
    `<stop offset="1" stop-color="${lighter(floor, 0.25)}"/></linearGradient>` +
    `<radialGradient id="h"><stop offset="0" stop-color="#10141a" stop-opacity=".42"/>` +
    `<stop offset=".6" stop-color="#10141a" stop-opacity=".16"/>` +
    `<stop offset="1" stop-color="#10141a" stop-opacity="0"/></radialGradient>${fillsOf(colors)}</defs>` +
    `<rect width="${SIZE}" height="${SIZE}" fill="url(#g)"/>` +
    (isFlat ? '' : `<rect y="850" width="${SIZE}" height="350" fill="url(#f)" opacity=".55"/>`) +
    `<g transform="${CAMERAS[view]}">${inside}</g></svg>`
  );
}

const CAMERAS: Record<View, string> = {
  whole: 'translate(0 20)',
  near: 'translate(-330 -330) scale(1.6)',
  stand: 'translate(96 40) scale(.84)',
};

const standOf = (floor: string): string =>
  `<path d="M 140 945h920v130a460 70 0 0 1-920 0z" fill="${darker(floor, 0.2)}"/>` +
  `<ellipse cx="600" cy="945" rx="460" ry="76" fill="${lighter(floor, 0.3)}"/>`;
