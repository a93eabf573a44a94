import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, show } from '#kernel/http/page.ts';
import { PANEL } from '#platform/panel/index.ts';
import { productsAt, slugsIn } from '../places/addresses.ts';
import { get } from '../products.ts';
import { shopProductRows } from '../queries.ts';
import { RELATION_KINDS, type Relation } from '../record.ts';
import { listRelations, replaceRelations } from '../relations.ts';
import { MOST_RELATED } from '../schemas.ts';

type Kind = Relation['kind'];

/** Of each field: more than all related products with the longest addresses. */
const MOST_TYPED = 5000;

/** How the panel calls each kind. */
const WORDS: Readonly<Record<Kind, { readonly label: string; readonly note: string }>> = {
  related: { label: 'Similar products', note: 'Alternatives to this product.' },
  upsell: { label: 'Better versions', note: 'Larger or better products than this one.' },
  cross_sell: {
    label: 'Bought together',
    note: 'Products that go well with this one, such as accessories.',
  },
};

const addressOf = (id: string): string => `/store/products/${encodeURIComponent(id)}`;
const tabOf = (id: string): string => `${addressOf(id)}?tab=related#tabs`;

/** What the tab with the products beside a product shows. */
export async function relatedTab(
  ctx: Ctx,
  { id }: { readonly id: string },
): Promise<Record<string, unknown>> {
  const relations = await listRelations(ctx, id);
  const rows = await shopProductRows.of(ctx, [...new Set(relations.map(({ relatedId }) => relatedId))]);
  const products = new Map(rows.map((one) => [one.id, one]));
  return {
    action: `${addressOf(id)}/related`,
    after: tabOf(id),
    most: MOST_RELATED,
    mayWrite: allows(ctx.actor, 'products:write'),
    kinds: RELATION_KINDS.map((kind) => ({
      name: kind,
      ...WORDS[kind],
      products: relations
        .filter((one) => one.kind === kind)
        .flatMap(({ relatedId }) => products.get(relatedId) ?? [])
        .map(({ id, slug, title }) => ({ slug, title, href: addressOf(id) })),
    })),
  };
}

const addresses = () => optional(text({ max: MOST_TYPED }));

/** Says which products are shown beside a product, each kind in a field of its own. */
export const relatedPage = page({
  path: '/store/products/{id}/related',
  title: 'Related products',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'open-a-shop',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: z.object({ related: addresses(), upsell: addresses(), cross_sell: addresses() }),
  show: async (ctx, { params: { id } }) =>
    show('store/related', { name: (await get(ctx, id)).title, ...(await relatedTab(ctx, { id })) }),
  async submit(ctx, { params: { id }, form }) {
    const { slug } = await get(ctx, id);
    const items: { productId: string; kind: Kind }[] = [];
    const faults: Record<string, string> = {};
    for (const kind of RELATION_KINDS) {
      const found = await readField(ctx, slug, form[kind] ?? '');
      if ('fault' in found) faults[kind] = found.fault;
      else items.push(...found.ids.map((productId) => ({ productId, kind })));
    }
    if (Object.keys(faults).length > 0) throw refuseForm('Nothing was saved', faults);
    if (items.length > MOST_RELATED)
      throw refuseForm(
        `Nothing was saved: a product has at most ${MOST_RELATED} related products, these are ${items.length}`,
      );
    await replaceRelations(ctx, id, { items });
    return goTo(tabOf(id));
  },
});

/** The products that a field names, or what is wrong with it. @param own address of the product that they stand beside */
async function readField(ctx: Ctx, own: string, typed: string) {
  const slugs = slugsIn(typed);
  if (slugs.includes(own)) return { fault: `The address ${own} is this product itself. Remove that line.` };
  const twice = slugs.find((slug, at) => slugs.indexOf(slug) !== at);
  if (twice !== undefined) return { fault: `The address ${twice} appears twice. Remove one of the lines.` };
  return productsAt(ctx, slugs);
}
