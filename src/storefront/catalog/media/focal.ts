import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { get, type Media, type MediaUpdate, change as store } from '#platform/media/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { pictureOf } from '#storefront/contract/picture.ts';
import { catalogChanged } from '../products/index.ts';

/** Changes what is said of a picture, and has the shop show it. @throws AppError as `change` of the pictures does */
export const change = (
  ctx: Ctx,
  id: string,
  input: z.input<typeof MediaUpdate>,
  how?: { readonly ifMatch?: string | undefined },
): Promise<Media> =>
  ctx.tx(async (ctx) => {
    const after = await store(ctx, id, input, how);
    await catalogChanged(ctx);
    return after;
  });

const mediaPath = (id: string): string => `/store/media/${encodeURIComponent(id)}`;

/** What shows and sets the point of a picture that stays in sight. */
export async function focalTab(ctx: Ctx, { id }: { readonly id: string }): Promise<Record<string, unknown>> {
  const media = await get(ctx, id);
  return {
    action: `${mediaPath(id)}/focal-point`,
    after: mediaPath(id),
    picture: pictureOf(media).variants?.medium ?? null,
    fileName: media.fileName,
    x: media.focalX,
    y: media.focalY,
    mayWrite: allows(ctx.actor, 'media:write'),
  };
}

const percent = () => text({ max: 4, trim: true });

/** Sets it with two fields; a script sets those with a press on the picture. */
export const focalPage = page({
  path: '/store/media/{id}/focal-point',
  title: 'Focal point',
  audience: { staff: 'media:write' },
  layout: PANEL,
  help: 'glossary',
  params: z.object({ id: text({ min: 1, max: 30 }) }),
  form: later(() => z.object({ focal_x: percent(), focal_y: percent() })),
  show: async (ctx, { params: { id } }) => show('store/media-focal-page', await focalTab(ctx, { id })),
  async submit(ctx, { params: { id }, form }) {
    const faults = Object.entries(form).filter(
      ([, typed]) => !/^\d{1,3}$/.test(typed) || Number(typed) > 100,
    );
    if (faults.length > 0)
      throw refuseForm(
        'Nothing was saved',
        Object.fromEntries(faults.map(([name]) => [name, 'Enter a whole number from 0 to 100'])),
      );
    await change(ctx, id, { focalX: Number(form.focal_x), focalY: Number(form.focal_y) });
    return goTo(`${mediaPath(id)}?tab=focal#tabs`);
  },
});
