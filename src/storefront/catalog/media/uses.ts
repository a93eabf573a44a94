import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { faviconMedia, heroMedia, logoMedia } from '#storefront/contract/branding.ts';
import * as categories from '../categories/index.ts';
import * as collections from '../collections/index.ts';
import * as products from '../products/index.ts';

export const USE_KINDS = ['product', 'category', 'collection', 'option_value', 'setting'] as const;

/** Where a picture is shown. */
export interface Use {
  readonly mediaId: string;
  readonly kind: (typeof USE_KINDS)[number];
  /** Of a setting its key. */
  readonly id: string;
  readonly title: string;
  /** What is locked when it changes: of a value the product that it belongs to. */
  readonly productId: string | null;
}

const settingTitles = [
  [logoMedia, 'Logo'],
  [faviconMedia, 'Favicon'],
  [heroMedia, 'Home page picture'],
] as const;

const kindWords = {
  product: 'product',
  category: 'category',
  collection: 'collection',
  option_value: 'option value',
  setting: 'setting',
} as const;

/** `product Blue mug` */
export const useWords = ({ kind, title }: Pick<Use, 'kind' | 'title'>): string =>
  `${kindWords[kind]} ${title}`;

/** Everything that shows some pictures, with as many questions for one as for a hundred. */
export async function usesOf(ctx: Ctx, mediaIds: readonly string[]): Promise<Use[]> {
  const shown = await products.usagesOf(ctx, mediaIds);
  const shelves = await categories.categoriesShownBy(ctx, mediaIds);
  const chosen = await collections.collectionsShownBy(ctx, mediaIds);
  const values = await products.valuesShownBy(ctx, mediaIds);
  return [
    ...shown.map(({ mediaId, productId, title }) => ({
      ...{ mediaId, kind: 'product' as const, id: productId, title, productId },
    })),
    ...shelves.map(({ mediaId, id, name }) => ({
      ...{ mediaId: mediaId ?? '', kind: 'category' as const, id, title: name, productId: null },
    })),
    ...chosen.map(({ mediaId, id, title }) => ({
      ...{ mediaId: mediaId ?? '', kind: 'collection' as const, id, title, productId: null },
    })),
    ...values.map(({ mediaId, valueId, title, productId }) => ({
      ...{ mediaId, kind: 'option_value' as const, id: valueId, title, productId },
    })),
    ...settingTitles.flatMap(([setting, title]) => {
      const mediaId = ctx.settings.get(setting);
      if (mediaId === null || !mediaIds.includes(mediaId)) return [];
      return [{ mediaId, kind: 'setting' as const, id: setting.key, title, productId: null }];
    }),
  ];
}

/** A message names so many; the answer names all. */
const MOST_NAMED = 3;

/**
 * Lets go of a picture in the transaction that deletes it. Settings keep theirs: without a logo the whole shop looks
 * different.
 *
 * @param isForced takes it away from products, categories, collections and values of options
 * @throws AppError CONFLICT, reason IN_USE, for one that is shown, with the places in `details.uses`
 */
export async function letGo(ctx: Ctx, mediaId: string, isForced: boolean): Promise<void> {
  const uses = await usesOf(ctx, [mediaId]);
  const left = isForced ? uses.filter(({ kind }) => kind === 'setting') : uses;
  if (left.length > 0) throw inUse(left);
  // The tree of the categories is locked before products everywhere, and products in the order of their ids.
  for (const { kind, id } of uses) {
    if (kind === 'category') await categories.change(ctx, id, { mediaId: null });
    if (kind === 'collection') await collections.change(ctx, id, { mediaId: null });
  }
  const ofProducts = uses.filter(({ productId }) => productId !== null);
  for (const { kind, id } of ofProducts.toSorted(byProduct)) {
    if (kind === 'product') await products.detachPicture(ctx, id, mediaId);
    else await products.changeValue(ctx, id, { mediaId: null });
  }
}

const byProduct = ({ productId: one }: Use, { productId: other }: Use): number =>
  (one ?? '') < (other ?? '') ? -1 : Number(one !== other);

function inUse(uses: readonly Use[]) {
  const more = uses.length > MOST_NAMED ? ` and ${uses.length - MOST_NAMED} more` : '';
  const named = uses.slice(0, MOST_NAMED).map(useWords).join(', ') + more;
  return fail('CONFLICT', `the picture is shown by ${named}; remove it there first`, {
    details: { reason: 'IN_USE', uses: uses.map(({ kind, id, title }) => ({ kind, id, title })) },
  });
}
