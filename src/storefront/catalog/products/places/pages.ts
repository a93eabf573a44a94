import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { shopProductRows } from '../queries.ts';
import { productsAt, slugsIn } from './addresses.ts';

/** Of the form: more than all products of a place with the longest addresses. */
const FORM_BYTES = 700_000;

/** A category or a collection, as the panel fills it with products. */
interface Place {
  /** Its path in the panel. */
  readonly path: '/store/categories' | '/store/collections';
  readonly title: string;
  /** What the form says of them beside what they are. */
  readonly note: string;
  /** @throws AppError NOT_FOUND */
  readonly nameOf: (ctx: Ctx, id: string) => Promise<string>;
  readonly list: (ctx: Ctx, id: string) => Promise<string[]>;
  readonly replace: (ctx: Ctx, id: string, input: { productIds: string[] }) => Promise<unknown>;
}

/** The tab that shows the products of a place by their addresses in its order, one per line, and the page that it posts to. */
export function placedProducts({ path, title, note, nameOf, list, replace }: Place) {
  const addressOf = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  const tab = async (ctx: Ctx, { id }: { readonly id: string }): Promise<Record<string, unknown>> => {
    const ids = await list(ctx, id);
    const products = new Map((await shopProductRows.of(ctx, ids)).map((one) => [one.id, one]));
    return {
      action: `${addressOf(id)}/products`,
      slugs: ids.flatMap((productId) => products.get(productId)?.slug ?? []),
      after: `${addressOf(id)}?tab=products#tabs`,
      note,
      mayWrite: allows(ctx.actor, 'products:write'),
    };
  };
  const productsPage = page({
    path: `${path}/{id}/products`,
    title,
    audience: { staff: 'products:write' },
    layout: PANEL,
    help: 'glossary',
    params: z.object({ id: text({ min: 1, max: 255 }) }),
    form: later(() => z.object({ products: text({ max: FORM_BYTES }) })),
    formBytes: FORM_BYTES,
    show: async (ctx, { params: { id } }) =>
      show('store/placed-products-page', { name: await nameOf(ctx, id), ...(await tab(ctx, { id })) }),
    async submit(ctx, { params: { id }, form }) {
      await replace(ctx, id, { productIds: await idsOf(ctx, form.products) });
      return goTo(`${addressOf(id)}?tab=products#tabs`);
    },
  });
  return { tab, page: productsPage };
}

/** @throws a refused form when one of them does not exist */
async function idsOf(ctx: Ctx, text: string): Promise<string[]> {
  const found = await productsAt(ctx, [...new Set(slugsIn(text))]);
  if ('ids' in found) return found.ids;
  throw refuseForm('Nothing was saved: some products do not exist', { products: found.fault });
}
