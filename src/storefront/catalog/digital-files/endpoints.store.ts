/** Files that buyers of a variant may download, for staff (storefront-api.md, S). */

import { z } from 'zod';
import { download, type Endpoint, endpoint, ok, type UploadRule } from '#kernel/http/endpoint.ts';
import { count, instant, optional, queryInteger, text } from '#kernel/http/fields.ts';
import type { Upload } from '#kernel/http/upload.ts';
import { later } from '#kernel/sharing.ts';
import { addRelease, listFiles, openFile, removeFile, uploadFile } from './digital-files.ts';
import { type DigitalFile, FILE_KINDS, MOST_DAYS, MOST_DOWNLOADS } from './record.ts';
import type { ReleaseFileInput } from './schemas.ts';

const path = '/api/store/variants/{id}/files';
const Params = z.object({ id: text({ min: 1, max: 255 }) });
const FileParams = z.object({ ...Params.shape, file_id: text({ min: 1, max: 255 }) });

const DigitalFileView = later(() =>
  z
    .object({
      id: z.string(),
      variant_id: z.string(),
      kind: z.enum(FILE_KINDS),
      name: z.string(),
      bytes: count(),
      mime: z.string().nullable(),
      release_channel: z.string().nullable(),
      max_downloads: count().nullable(),
      expires_days: count().nullable(),
      position: count(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'DigitalFile' }),
);

const fileView = (file: DigitalFile): z.output<typeof DigitalFileView> => ({
  id: file.id,
  variant_id: file.variantId,
  kind: file.kind,
  name: file.name,
  bytes: file.bytes,
  mime: file.mime,
  release_channel: file.releaseChannel,
  max_downloads: file.maxDownloads,
  expires_days: file.expiresDays,
  position: file.position,
  created_at: file.createdAt,
  updated_at: file.updatedAt,
});

/** A number of the query that may be left out. */
const bounded = (max: number) => optional(queryInteger({ min: 1, max, fallback: 0 }).unwrap());
const Said = later(() =>
  z.object({
    name: optional(text({ min: 1, max: 255 })),
    max_downloads: bounded(MOST_DOWNLOADS),
    expires_days: bounded(MOST_DAYS),
  }),
);

const fileOrRelease: UploadRule = { maxBytes: (ctx) => ctx.uploadLimitBytes, orJson: true };

const isUpload = (raw: unknown): raw is Upload =>
  typeof raw === 'object' && raw !== null && 'stream' in raw && 'filename' in raw;

/** A body of JSON by the names of the use case, which judges it; unknown fields are ignored (Z2). */
function releaseOf(raw: unknown): ReleaseFileInput {
  const sent = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, never>;
  return {
    releaseChannel: sent.release_channel as never,
    name: sent.name,
    maxDownloads: sent.max_downloads,
    expiresDays: sent.expires_days,
  };
}

export const digitalFileEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'List the files that buyers of a variant can download',
    scope: 'products:read',
    limit: null,
    params: Params,
    replies: { 200: z.object({ data: z.array(DigitalFileView) }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok({ data: (await listFiles(ctx, params.id)).map(fileView) }),
  }),
  endpoint({
    method: 'post',
    path,
    summary: 'Add a file to a variant, or a channel whose newest release buyers get',
    scope: 'products:write',
    limit: null,
    params: Params,
    query: Said,
    upload: fileOrRelease,
    replies: { 201: z.object({ data: DigitalFileView }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params: { id }, query, raw }) => {
      const said = { name: query.name, maxDownloads: query.max_downloads, expiresDays: query.expires_days };
      const file = isUpload(raw)
        ? await uploadFile(ctx, id, { source: raw.stream, fileName: raw.filename }, said)
        : await addRelease(ctx, id, releaseOf(raw));
      return { status: 201, body: { data: fileView(file) } };
    },
  }),
  endpoint({
    method: 'delete',
    path: `${path}/{file_id}`,
    summary: 'Remove a file from a variant',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: FileParams,
    replies: { 200: z.object({ data: z.object({ deleted: z.literal(true) }) }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      await removeFile(ctx, params.id, params.file_id);
      return ok({ data: { deleted: true as const } });
    },
  }),
  endpoint({
    method: 'get',
    path: `${path}/{file_id}/content`,
    summary: 'Download an uploaded file of a variant',
    scope: 'products:read',
    limit: null,
    params: FileParams,
    content: {
      type: 'application/octet-stream',
      headers: { 'Content-Disposition': 'Attachment, named after the file' },
    },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const { file, object } = await openFile(ctx, params.id, params.file_id);
      return download({
        type: 'application/octet-stream',
        size: object.size,
        etag: `"${file.sha256}"`,
        headers: {
          'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name.toWellFormed()).replaceAll(/['()*]/g, '_')}`,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cache-Control': 'private, no-store',
        },
        read: (start, end) => object.read(start, end),
        close: () => object.close(),
      });
    },
  }),
];
