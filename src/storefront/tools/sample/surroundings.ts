import type { Ctx } from '#kernel/context.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as collections from '#storefront/catalog/collections/index.ts';
import * as content from '#storefront/catalog/content/index.ts';
import * as navigation from '#storefront/catalog/navigation/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { header, pages } from './goods/pages.ts';
import { related } from './goods/related.ts';
import { changeOfProduct, menuId, menuMark, noting, productMark } from './marks.ts';
import type { SampleItem } from './record.ts';
import * as repo from './repository.ts';

type Item = NonNullable<navigation.Menus['header']>[number];
type MenuKey = keyof navigation.Menus;

/** Pages that the shop does not have yet: one with the address, or that had it, stays as it is. */
export async function loadPages(ctx: Ctx): Promise<void> {
  for (const { slug, title, seo, text } of pages)
    await ctx.tx(async (ctx) => {
      if (await content.shownPage(ctx, slug, { drafts: true })) return;
      const made = await content.create(ctx, {
        slug,
        title,
        bodyMarkdown: text,
        status: 'published',
        seoDescription: seo,
      });
      await noting(ctx, 'page', made.id, slug, made.updatedAt);
    });
}

/** How many pages and menus a load would make. */
export async function plannedAround(ctx: Ctx): Promise<{ page: number; menu: number }> {
  const known = await Promise.all(pages.map(({ slug }) => content.shownPage(ctx, slug, { drafts: true })));
  const { header: top, footer: bottom } = await navigation.get(ctx);
  return {
    page: known.filter((one) => !one).length,
    menu: [top, bottom].filter((one) => one === null).length,
  };
}

/** Menus that nobody has made yet, of what shoppers can open. */
export const loadMenus = (ctx: Ctx): Promise<void> =>
  ctx.tx(async (ctx) => {
    const before = await navigation.get(ctx);
    const made: Readonly<Record<MenuKey, readonly Item[]>> = {
      header: before.header === null ? await headerOf(ctx) : [],
      footer: before.footer === null ? await footerOf(ctx) : [],
    };
    const keys = (['header', 'footer'] as const).filter((key) => made[key].length > 0);
    if (keys.length === 0) return;
    const wanted = (key: MenuKey) => (keys.includes(key) ? made[key] : before[key])?.map(sent) ?? null;
    const after = await navigation.replace(ctx, { header: wanted('header'), footer: wanted('footer') });
    for (const key of keys) await noting(ctx, 'menu', menuId(key), key, menuMark(after[key]));
  });

const sent = ({ items, ...link }: Item) => ({ ...link, items: [...items] });

async function headerOf(ctx: Ctx): Promise<Item[]> {
  const shown = await categories.listShown(ctx);
  const link = ({ id, name }: { id: string; name: string }) => ({
    label: name,
    type: 'category' as const,
    target: id,
  });
  const departments = header.categories.flatMap((slug) => shown.find((one) => one.slug === slug) ?? []);
  const sale = (await collections.listShown(ctx)).find(({ slug }) => slug === header.collection);
  return [
    ...departments.map((one) => ({
      ...link(one),
      items: shown.filter(({ parentId }) => parentId === one.id).map(link),
    })),
    ...(sale ? [{ label: sale.title, type: 'collection' as const, target: sale.id, items: [] }] : []),
  ];
}

async function footerOf(ctx: Ctx): Promise<Item[]> {
  const shown = await content.listShown(ctx);
  const ours = pages.flatMap(({ slug }) => shown.find((one) => one.slug === slug) ?? []);
  const links = ours.map(({ id, title }) => ({
    label: title,
    type: 'page' as const,
    target: id,
    items: [],
  }));
  return [...links, { label: 'Contact', type: 'url', target: '/shop/contact', items: [] }];
}

/** Products that nobody has changed and that show nothing beside them are related to others of the shop. */
export async function relateProducts(ctx: Ctx): Promise<void> {
  const ours = await repo.listItems(ctx, 'product');
  const ids = await products.idsBySlug(ctx, Object.entries(related).flat(2));
  for (const item of ours) {
    const others = (related[item.slug] ?? []).flatMap((slug) => ids.get(slug) ?? []);
    if (others.length > 0 && ids.get(item.slug) === item.id) await relate(ctx, item, others);
  }
}

const relate = (ctx: Ctx, { id, slug, mark }: SampleItem, others: readonly string[]): Promise<void> =>
  ctx.tx(async (ctx) => {
    if ((await changeOfProduct(ctx, await products.get(ctx, id), mark)) !== null) return;
    if ((await products.listRelations(ctx, id)).length > 0) return;
    const items = others.map((productId) => ({ productId, kind: 'related' as const }));
    await products.replaceRelations(ctx, id, { items });
    await noting(ctx, 'product', id, slug, await productMark(ctx, await products.get(ctx, id)));
  });
