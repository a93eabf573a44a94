import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { rebuild } from '#platform/media/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { gridPages } from './editors/grid-page.ts';
import { matrixPage } from './editors/matrix-page.ts';
import { optionsPage } from './editors/option-pages.ts';
import { relatedPage } from './editors/related-page.ts';
import { productMediaView } from './picture-view.ts';
import { arrangePictures, detachPicture } from './pictures.ts';
import { getWhole } from './products.ts';
import type { PictureOf } from './whole.ts';

const tabOf = (id: string): string => `/store/products/${encodeURIComponent(id)}?tab=pictures#tabs`;

/** What the tab with the pictures of a product shows. */
export async function picturesTab(
  ctx: Ctx,
  { id }: { readonly id: string },
): Promise<Record<string, unknown>> {
  const { pictures, variants, product } = await getWhole(ctx, id);
  return {
    action: `/store/products/${encodeURIComponent(id)}/pictures`,
    after: tabOf(id),
    product: id,
    name: product.title,
    mayWrite: allows(ctx.actor, 'products:write'),
    mayUpload: allows(ctx.actor, 'products:write') && allows(ctx.actor, 'media:write'),
    pictures: pictures.map((one, at) => ({
      ...productMediaView(one, at),
      fileName: one.media.fileName,
      status: one.media.status,
      failure: one.media.failure,
    })),
    variants: variants.map((variant) => ({ id: variant.id, label: `${variant.sku} ${variant.title}` })),
  };
}

/** The pictures with one of them a place up or down. */
function moved(pictures: readonly PictureOf[], mediaId: string, by: -1 | 1) {
  const order = pictures.map(({ media }) => media.id);
  const from = order.indexOf(mediaId);
  const to = Math.min(Math.max(from + by, 0), order.length - 1);
  if (from !== -1) order.splice(to, 0, ...order.splice(from, 1));
  return order.map((id, position) => ({ mediaId: id, position }));
}

/** Has the sizes of a picture of the product made again. @throws a refused form when it is no longer there */
async function retry(ctx: Ctx, id: string, mediaId: string): Promise<void> {
  const { pictures } = await getWhole(ctx, id);
  if (!pictures.some(({ media }) => media.id === mediaId))
    throw refuseForm('The product no longer has this picture');
  await rebuild(ctx, mediaId);
}

/** Orders, describes and takes away the pictures of a product, one press of a button each. */
const picturesPage = page({
  path: '/store/products/{id}/pictures',
  title: 'Pictures of a product',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: later(() =>
    z.object({
      media: text({ min: 1, max: 30 }),
      do: oneOf(['save', 'up', 'down', 'remove', 'retry']),
      alt: optional(text({ max: 500 })),
      variant: optional(text({ max: 30 })),
    }),
  ),
  show: async (ctx, { params }) => show('store/pictures', await picturesTab(ctx, params)),
  async submit(ctx, { params: { id }, form: { media: mediaId, do: what, alt, variant } }) {
    if (what === 'remove') await detachPicture(ctx, id, mediaId);
    else if (what === 'retry') await retry(ctx, id, mediaId);
    else if (what === 'save')
      await arrangePictures(ctx, id, { items: [{ mediaId, alt: alt || null, variantId: variant || null }] });
    else {
      const { pictures } = await getWhole(ctx, id);
      await arrangePictures(ctx, id, { items: moved(pictures, mediaId, what === 'up' ? -1 : 1) });
    }
    return goTo(tabOf(id));
  },
});

/** Pages of a product that its screen cannot declare. */
export const shopProductPages: readonly Page[] = [
  picturesPage,
  optionsPage,
  relatedPage,
  matrixPage,
  ...gridPages,
];
