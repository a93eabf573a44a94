import type { Ctx } from '#kernel/context.ts';
import { endpoint } from '#kernel/http/endpoint.ts';
import { IdempotencyHeaders } from '#licensing/contract/fields.ts';
import { limits } from '#licensing/contract/limits.ts';
import { type Created, create } from './create.ts';
import { type BulkItem, createBulk } from './create-bulk.ts';
import { licenseCreated } from './public.ts';
import { CreateBody, CreateBulkBody, CreateBulkReply, CreateReply } from './schemas.ts';

/** The largest legal bulk request, every character escaped (D4). */
const BULK_BODY_BYTES = 8 * 1024 * 1024;

export const licenseEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/license/create',
    summary: 'Create a license',
    scope: 'CREATE_LICENSE',
    limit: limits.write,
    headers: IdempotencyHeaders,
    body: CreateBody,
    replies: { 200: CreateReply, 201: CreateReply },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body, headers }) => {
      const key = headers['x-idempotency-key'];
      const idempotency = key ? { namespace: 'api' as const, key } : null;
      const created = await create(ctx, body, { source: 'API', idempotency });
      return { status: created.idempotent ? 200 : 201, body: createReply(ctx, created) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/v1/license/create-bulk',
    summary: 'Create up to 20 licenses',
    scope: 'CREATE_LICENSE',
    limit: limits.write,
    bodyBytes: BULK_BODY_BYTES,
    headers: IdempotencyHeaders,
    body: CreateBulkBody,
    replies: { 201: CreateBulkReply, 207: CreateBulkReply },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body, headers }) => {
      const items = await createBulk(ctx, body.licenses, headers['x-idempotency-key'] || undefined);
      const failed = items.some((item) => 'error' in item);
      return { status: failed ? 207 : 201, body: { results: items.map((item) => bulkResult(ctx, item)) } };
    },
  }),
];

const createReply = (ctx: Ctx, { license, idempotent, mismatch }: Created) => ({
  license: licenseCreated(ctx, license),
  ...(idempotent && { idempotent: true }),
  ...(mismatch && { idempotentMismatch: true }),
});

function bulkResult(ctx: Ctx, item: BulkItem) {
  if ('created' in item) return { success: true, ...createReply(ctx, item.created) };
  const { code, message, details } = item.error;
  return { success: false, error: { code, message, ...(Object.keys(details).length > 0 && { details }) } };
}
