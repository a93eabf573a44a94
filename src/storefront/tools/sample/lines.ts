import type { CategoryLine, ProductLine } from '../transfer/index.ts';
import { camping } from './goods/camping.ts';
import { clothing } from './goods/clothing.ts';
import { digital } from './goods/digital.ts';
import { kitchen } from './goods/kitchen.ts';
import { living } from './goods/living.ts';
import { office } from './goods/office.ts';
import type { SampleCategory } from './goods/places.ts';
import { ONLY, type SampleProduct } from './goods/types.ts';

/** The products of a department, on the color of its pictures. */
export const departments: readonly {
  readonly ground: string;
  readonly products: readonly SampleProduct[];
}[] = [
  { ground: '#b7a6cf', products: digital },
  { ground: '#9fb1c4', products: office },
  { ground: '#d8b48a', products: [...living, ...kitchen] },
  { ground: '#8fa88b', products: [...clothing, ...camping] },
];

/** Names of its colors; none where it comes in one. */
export const colorsOf = ({ colors }: SampleProduct): string[] =>
  Object.keys(colors).filter((name) => name !== ONLY);

const code = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();

/** `SUMMIT-BOTTLE-PINE-500ML` */
const skuOf = (slug: string, chosen: readonly string[]): string =>
  [slug.toUpperCase(), ...chosen.map(code)].join('-');

/** A sample as the line of a file, without its pictures. */
export function lineOf(sample: SampleProduct): ProductLine {
  const { slug, title, brand, type = 'physical', status = 'active', tags, short, choice } = sample;
  const colors = colorsOf(sample);
  return {
    kind: 'product',
    slug,
    title,
    type,
    status,
    brand,
    tags: [...tags],
    categories: [...sample.in],
    short_description: short,
    description_html: htmlOf(sample),
    seo: { title: `${title} by ${brand}`, description: short },
    options: [
      ...(colors.length > 0
        ? [
            {
              name: 'Color',
              values: colors.map((value) => ({ value, swatch_hex: sample.colors[value] ?? null })),
            },
          ]
        : []),
      ...(choice
        ? [{ name: choice.name, values: Object.keys(choice.values).map((value) => ({ value })) }]
        : []),
    ],
    variants: variantsOf(sample),
  };
}

function variantsOf(sample: SampleProduct) {
  const { slug, price, was, grams = 0, choice, breaks = {}, type = 'physical', stock } = sample;
  const colors = colorsOf(sample);
  const values: readonly (readonly [string, number])[] = choice ? Object.entries(choice.values) : [['', 0]];
  return (colors.length > 0 ? colors : ['']).flatMap((color) =>
    values.map(([value, more], at) => ({
      sku: skuOf(slug, [color, value].filter(Boolean)),
      price_cents: price + more,
      compare_at_cents: was === undefined ? null : was + more,
      cost_cents: Math.round((price + more) * 0.45),
      weight_g: grams,
      ...(type === 'physical' && { stock: { on_hand: unitsOf(stock, at), track_inventory: true } }),
      price_tiers: Object.entries(breaks).map(([from, percent]) => ({
        min_quantity: Number(from),
        unit_cents: Math.round(((price + more) * (100 - percent)) / 100),
      })),
      option_values: {
        ...(color && { Color: color }),
        ...(choice && { [choice.name]: value }),
      },
    })),
  );
}

/** Pieces of a variant: of one that is low some sizes are sold out. */
function unitsOf(stock: SampleProduct['stock'], at: number): number {
  if (stock === 'out') return 0;
  if (stock === 'low') return at === 1 ? 0 : 2 + at;
  return Math.max(1, (stock ?? 20) - at * 3);
}

const htmlOf = ({ text, points }: SampleProduct): string =>
  [
    ...text.map((paragraph) => `<p>${paragraph}</p>`),
    '<h3>Details</h3>',
    `<ul>${points.map((point) => `<li>${point}</li>`).join('')}</ul>`,
  ].join('\n');

/** Categories as lines, each before what is under it. */
export const categoryLines = (
  tree: readonly SampleCategory[],
  parent: string | null = null,
): CategoryLine[] =>
  tree.flatMap(({ slug, name, says, under = [] }, position) => [
    { kind: 'category' as const, slug, name, parent, position, description: says },
    ...categoryLines(under, slug),
  ]);
