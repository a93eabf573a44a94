import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { PANEL } from '#platform/panel/index.ts';
import { idsBySlug, shopProductRows } from '../products/index.ts';
import { get } from './categories.ts';
import { listProducts, replaceProducts } from './links.ts';

/** Of the form: more than all products of a category with the longest addresses. */
const FORM_BYTES = 700_000;

const addressOf = (id: string): string => `/store/categories/${encodeURIComponent(id)}`;

/** What the tab with the products of a category shows: their addresses in its order, one per line. */
export async function productsTab(
  ctx: Ctx,
  { id }: { readonly id: string },
): Promise<Record<string, unknown>> {
  const ids = await listProducts(ctx, id);
  const products = new Map((await shopProductRows.of(ctx, ids)).map((one) => [one.id, one]));
  const slugs = ids.flatMap((productId) => products.get(productId)?.slug ?? []);
  return {
    action: `${addressOf(id)}/products`,
    slugs,
    after: `${addressOf(id)}?tab=products#tabs`,
    mayWrite: allows(ctx.actor, 'products:write'),
  };
}

const productsPage = page({
  path: '/store/categories/{id}/products',
  title: 'Products of a category',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: z.object({ products: text({ max: FORM_BYTES }) }),
  formBytes: FORM_BYTES,
  show: async (ctx, { params: { id } }) =>
    show('store/category-products-page', {
      name: (await get(ctx, id)).name,
      ...(await productsTab(ctx, { id })),
    }),
  async submit(ctx, { params: { id }, form }) {
    const slugs = [...new Set(form.products.split(/\s+/).filter((slug) => slug !== ''))];
    const known = await idsBySlug(ctx, slugs);
    const unknown = slugs.filter((slug) => !known.has(slug));
    if (unknown.length > 0)
      throw refuseForm('Nothing was saved: some products do not exist', {
        products: `There is no product with the address ${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ''}. Copy addresses from the list of products.`,
      });
    await replaceProducts(ctx, id, { productIds: slugs.flatMap((slug) => known.get(slug) ?? []) });
    return goTo(`${addressOf(id)}?tab=products#tabs`);
  },
});

/** Pages of a category that its screen cannot declare. */
export const categoryPages: readonly Page[] = [productsPage];
