import { sceneOf, type View } from './art/scene.ts';
import { FLAT, shapes } from './art/shapes.ts';
import type { SampleProduct } from './goods/types.ts';
import { colorsOf } from './lines.ts';

/** A picture that the program draws. */
export interface Drawn {
  readonly fileName: string;
  readonly alt: string;
  readonly svg: string;
  /** Name of the color that it shows; null where the product comes in one. */
  readonly color: string | null;
}

/** Of one product: each of its colors; of a thing that comes in one color a second view. */
export function picturesOf(sample: SampleProduct, ground: string): Drawn[] {
  const names = colorsOf(sample);
  const [first = ''] = Object.keys(sample.colors);
  const draw = (color: string, view: View): Drawn => {
    const colors = { main: sample.colors[color] ?? '#56657a', accent: sample.accent };
    const isFlat = FLAT.includes(sample.shape);
    const words = [sample.title, ...(color ? [color.toLowerCase()] : []), ...WORDS[view]];
    return {
      fileName: `${[sample.slug, ...(color ? [color.toLowerCase()] : []), view].join('-')}.svg`,
      alt: words.join(', '),
      svg: sceneOf(shapes[sample.shape](colors), colors, { ground, view, isFlat }),
      color: color || null,
    };
  };
  const others = names.slice(1).map((color) => draw(color, 'whole'));
  const isShownTwice = names.length < 2 && sample.type === undefined;
  const second: View = FLAT.includes(sample.shape) ? 'near' : 'stand';
  return [draw(first, 'whole'), ...others, ...(isShownTwice ? [draw(first, second)] : [])];
}

const WORDS: Record<View, readonly string[]> = { whole: [], near: ['from near'], stand: ['on a stand'] };
