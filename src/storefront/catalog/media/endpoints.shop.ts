/** The files of pictures, for everybody: what pages embed. */
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { download, type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { findBySha } from '#platform/media/index.ts';
import { MEDIA_PATH } from '#storefront/contract/picture.ts';

const Params = z.object({
  sha256: text({ min: 1, max: 64 }),
  variant: oneOf(['thumbnail', 'medium', 'large']),
});

/** A year: under an address with its version the bytes never change. */
const FOR_EVER = 'public, max-age=31536000, immutable';

async function fileOf(ctx: Ctx, { sha256, variant }: z.output<typeof Params>): Promise<Content> {
  const found = (await findBySha(ctx, sha256))?.variants?.[variant];
  const object = found && (await ctx.media.open(found.key));
  if (!object) throw fail('NOT_FOUND', 'This picture does not exist');
  return {
    type: 'image/webp',
    size: object.size,
    etag: `"${found.version}"`,
    headers: {
      'Cache-Control': FOR_EVER,
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
    read: (start, end) => object.read(start, end),
    close: () => object.close(),
  };
}

export const mediaEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: `${MEDIA_PATH}/{sha256}/{variant}`,
    summary: 'Download a picture in one of its sizes',
    scope: null,
    limit: null,
    params: Params,
    content: {
      type: 'image/webp',
      headers: { 'Cache-Control': 'One year; changed files get a new address' },
    },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => download(await fileOf(ctx, params)),
  }),
];
