import type { Ctx } from '#kernel/context.ts';
import { type SentPicture, upload } from '#platform/media/index.ts';
import * as settings from '#platform/settings/index.ts';
import { faviconMedia, logoMedia } from '#storefront/contract/branding.ts';
import { MEDIA_PATH } from '#storefront/contract/picture.ts';

const byKind = { logo: logoMedia, favicon: faviconMedia } as const;

/**
 * Puts a picture into the library and makes it the logo or the icon of the shop.
 *
 * @returns the path under which it is served as soon as its sizes are made
 * @throws AppError VALIDATION_ERROR for what is no picture; CONFLICT where the configuration fixes the setting
 */
export async function setPicture(ctx: Ctx, kind: keyof typeof byKind, sent: SentPicture): Promise<string> {
  const { id, sha256, variants } = await upload(ctx, sent);
  await settings.set(ctx, { key: byKind[kind].key, value: id });
  const version = variants === null ? '' : `?v=${variants.medium.version}`;
  return `${MEDIA_PATH}/${sha256}/medium${version}`;
}
