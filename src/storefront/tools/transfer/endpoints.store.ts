/** Whole products as files, for staff and their programs (issue 15, item 8). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { flag, optional, text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { findBySha, get as getMedia } from '#platform/media/index.ts';
import { shopProductRows } from '#storefront/catalog/products/index.ts';
import { LineOutcomeView } from './view.ts';

const { status, type, tag, categoryId } = shopProductRows.parameters;
const ExportQuery = later(() =>
  z.object({
    q: optional(text({ max: 200 })),
    status: z.optional(status as z.ZodType),
    type: z.optional(type as z.ZodType),
    tag: z.optional(tag as z.ZodType),
    category_id: z.optional(categoryId as z.ZodType),
  }),
);

/** Lines of one request: a body has at most one megabyte. */
export const MOST_LINES = 100;
/** A line that names more is refused by its schema: there are no such fields. */
const MOST_FIELDS = 50;

// Unknown fields of a body are ignored (Z2); those of a line are refused, since a slip would be lost.
const ImportBody = later(() =>
  z
    .object({
      lines: z
        .array(
          z
            .record(z.string(), z.unknown(), { error: 'must be an object' })
            .meta({ maxProperties: MOST_FIELDS }),
          {
            error: ({ input }) => (input === undefined ? 'is required' : 'must be a list'),
          },
        )
        .min(1)
        .max(MOST_LINES)
        .describe(
          'lines of an export; each is a product, category, collection, relations or order by its `kind`',
        ),
      announced: optional(z.array(text({ min: 1, max: 63 })).max(20_000)).describe(
        'slugs of categories and collections created by earlier lines, for a dry run',
      ),
      pause_at_missing_picture: optional(flag()).describe(
        'stop after the first line whose pictures are not in the library, so that products keep their order',
      ),
    })
    .meta({ id: 'ProductImportBody' }),
);

async function originalOf(ctx: Ctx, id: string): Promise<Content> {
  const media = (await findBySha(ctx, id)) ?? (await getMedia(ctx, id));
  const object = await ctx.media.open(media.storageKey);
  if (!object)
    throw fail('NOT_FOUND', `the original of picture ${media.fileName} is missing; upload it again`);
  return {
    type: media.mime,
    size: object.size,
    etag: `"${media.sha256}"`,
    headers: {
      'Content-Disposition': `attachment; filename="${media.sha256}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
    read: (start, end) => object.read(start, end),
    close: () => object.close(),
  };
}

export const transferEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/store/products/export.jsonl',
    summary: 'Export complete products as JSON Lines for an import',
    scope: 'products:read',
    limit: null,
    query: ExportQuery,
    content: {
      type: 'application/x-ndjson',
      headers: { 'Content-Disposition': 'Attachment, named after its date' },
    },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { query: { q, category_id, ...filters } }) => {
      const { exportLines } = await import('./export.ts');
      return download(
        exportLines(ctx, { q: q || undefined, filters: { ...filters, categoryId: category_id } }),
      );
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/store/products/import',
    summary: 'Create or change products, categories and collections from the lines of an export',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    body: ImportBody,
    replies: { 200: z.object({ data: z.array(LineOutcomeView) }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body: { lines, announced, pause_at_missing_picture: pauses } }) => {
      const { takeLines } = await import('./take.ts');
      return ok({ data: await takeLines(ctx, lines, { announced, pauses }) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/store/media/{id}/original',
    summary: 'Download the original file of a picture',
    scope: 'media:read',
    orScope: 'products:read',
    limit: null,
    params: z.object({ id: text({ min: 1, max: 255 }) }),
    content: {
      type: 'application/octet-stream',
      headers: { 'Content-Disposition': 'Attachment, named after its digest' },
    },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => download(await originalOf(ctx, params.id)),
  }),
];
