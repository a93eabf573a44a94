import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { wholeInRehearsal } from '#kernel/rehearse.ts';
import * as media from '#platform/media/index.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as collections from '#storefront/catalog/collections/index.ts';
import * as content from '#storefront/catalog/content/index.ts';
import { usesOf, useWords } from '#storefront/catalog/media/index.ts';
import * as navigation from '#storefront/catalog/navigation/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { changeOfProduct, menuId, menuMark } from './marks.ts';
import type { SampleItem, SampleKind } from './record.ts';
import * as repo from './repository.ts';
import type { SampleRemoved } from './view.ts';

const CHANGED = 'it was changed since it was loaded';
const STOCKED = 'its stock was changed since it was loaded';

/** What stands in the way of a removal; null: nothing. `gone`: it is not there any more. */
type Obstacle = string | null | 'gone';

const missing = (error: unknown): null => {
  if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
  throw error;
};

/** How one of each kind is judged and removed, in the order in which kinds go. */
const kinds: Record<
  SampleKind,
  {
    readonly counts: keyof SampleRemoved['removed'];
    judge(ctx: Ctx, item: SampleItem): Promise<Obstacle>;
    remove(ctx: Ctx, id: string): Promise<string | null>;
  }
> = {
  menu: {
    counts: 'menus',
    async judge(ctx, { slug, mark }) {
      const items = (await navigation.get(ctx))[slug as keyof navigation.Menus];
      if (items === null) return 'gone';
      return menuMark(items) === mark ? null : CHANGED;
    },
    async remove(ctx, id) {
      await dropMenu(ctx, id === menuId('header') ? 'header' : 'footer');
      return null;
    },
  },
  page: {
    counts: 'pages',
    async judge(ctx, { id, mark }) {
      const found = await content.get(ctx, id).catch(missing);
      if (!found) return 'gone';
      return found.updatedAt === mark ? null : CHANGED;
    },
    async remove(ctx, id) {
      await content.remove(ctx, id);
      return null;
    },
  },
  product: {
    counts: 'products',
    async judge(ctx, { id, mark }) {
      const found = await products.get(ctx, id).catch(missing);
      if (!found) return 'gone';
      const change = await changeOfProduct(ctx, found, mark);
      return change && { product: CHANGED, stock: STOCKED }[change];
    },
    remove: async (ctx, id) =>
      (await products.remove(ctx, id)).archived ? 'it was ordered, and is archived now' : null,
  },
  collection: {
    counts: 'collections',
    async judge(ctx, { id, mark }) {
      const found = await collections.get(ctx, id).catch(missing);
      if (!found) return 'gone';
      if (found.updatedAt !== mark) return CHANGED;
      const holds = found.kind === 'manual' && (await collections.listProducts(ctx, id)).length > 0;
      return holds ? 'it holds products that stay' : null;
    },
    async remove(ctx, id) {
      await collections.remove(ctx, id);
      return null;
    },
  },
  category: {
    counts: 'categories',
    async judge(ctx, { id, mark }) {
      const found = await categories.get(ctx, id).catch(missing);
      if (!found) return 'gone';
      if (found.updatedAt !== mark) return CHANGED;
      if ((await categories.listProducts(ctx, id)).length > 0) return 'it holds products that stay';
      const all = await categories.listAll(ctx);
      return all.some(({ parentId }) => parentId === id) ? 'it holds categories that stay' : null;
    },
    async remove(ctx, id) {
      await categories.remove(ctx, id);
      return null;
    },
  },
  media: {
    counts: 'pictures',
    async judge(ctx, { id, mark }) {
      const found = await media.get(ctx, id).catch(missing);
      if (!found) return 'gone';
      const isSame = found.alt === mark && found.focalX === 50 && found.focalY === 50;
      if (!isSame) return CHANGED;
      const [use] = await usesOf(ctx, [id]);
      return use ? `it is shown by ${useWords(use)}` : null;
    },
    async remove(ctx, id) {
      await media.remove(ctx, id);
      return null;
    },
  },
};

/** The shop makes the menu by itself again; the other one stays. */
async function dropMenu(ctx: Ctx, key: keyof navigation.Menus): Promise<void> {
  const { header, footer } = await navigation.get(ctx);
  const sent = (items: typeof header) =>
    items?.map(({ items, ...link }) => ({ ...link, items: [...items] })) ?? null;
  await navigation.replace(ctx, { header: sent(header), footer: sent(footer), [key]: null });
}

/** Takes away what the sample data made and nobody has changed since, each in a transaction of its own. */
export const remove = (ctx: Ctx): Promise<SampleRemoved> =>
  wholeInRehearsal(ctx, async (ctx) => {
    const report: SampleRemoved = {
      removed: { products: 0, collections: 0, categories: 0, pictures: 0, pages: 0, menus: 0 },
      kept: [],
    };
    for (const kind of Object.keys(kinds) as SampleKind[])
      for (const item of await repo.listItems(ctx, kind)) await removeOne(ctx, item, report);
    return report;
  });

async function removeOne(ctx: Ctx, item: SampleItem, report: SampleRemoved): Promise<void> {
  const { judge, remove, counts } = kinds[item.kind];
  const { id, kind, slug } = item;
  // The files of a picture go when its transaction has ended: it must be the whole one.
  const whole = <T>(work: (ctx: Ctx) => Promise<T>): Promise<T> =>
    kind === 'media' ? work(ctx) : ctx.tx(work);
  const reason = await refusing(() =>
    whole(async (ctx) => {
      const obstacle = await judge(ctx, item);
      if (obstacle !== null && obstacle !== 'gone') return obstacle;
      const kept = obstacle === 'gone' ? null : await remove(ctx, id);
      if (kept === null) await ctx.tx((ctx) => repo.removeItem(ctx, id));
      if (kept === null && obstacle === null) report.removed[counts] += 1;
      return kept;
    }),
  );
  if (reason !== null) report.kept.push({ kind, slug, reason });
}

/** What is used elsewhere stays, and says why; what another removal takes at the same moment is that one's. */
async function refusing(work: () => Promise<string | null>): Promise<string | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.details.reason === 'IN_USE') return error.message;
    return missing(error);
  }
}
