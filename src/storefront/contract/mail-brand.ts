import type { BrandSource } from '#kernel/mail.ts';
import { find } from '#platform/media/index.ts';
import { brandColor, logoMedia } from './branding.ts';
import { pictureOf } from './picture.ts';
import { shopNameOf, storeEmail } from './settings.ts';

/** Mails look like the shop (storefront-domain 14). */
export const shopMailBrand: BrandSource = async (ctx) => {
  const id = ctx.settings.get(logoMedia);
  const media = id === null ? null : await find(ctx, id);
  const logo = media && pictureOf(media).variants?.medium.url;
  return {
    storeName: shopNameOf(ctx),
    storeUrl: `${ctx.baseUrl}/`,
    storeEmail: ctx.settings.get(storeEmail),
    color: ctx.settings.get(brandColor),
    logoUrl: logo ? `${ctx.baseUrl}${logo}` : null,
  };
};
