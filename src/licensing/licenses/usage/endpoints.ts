import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { IdempotencyHeaders } from '#licensing/contract/fields.ts';
import { limits } from '#licensing/contract/limits.ts';
import { recordUsage } from './record.ts';
import { RecordUsageBody, RecordUsageReply } from './schemas.ts';

export const usageEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/license/record-usage',
    summary: 'Count uses of a license',
    scope: 'VALIDATE_ONLY',
    limit: limits.write,
    headers: IdempotencyHeaders,
    body: RecordUsageBody,
    replies: { 200: RecordUsageReply },
    errors: [
      'INVALID_KEY',
      'LICENSE_EXPIRED',
      'LICENSE_REVOKED',
      'LICENSE_SUSPENDED',
      'NOT_FOUND',
      'USAGE_LIMIT_EXCEEDED',
      'VALIDATION_ERROR',
    ],
    handle: async (ctx, { body, headers }) => {
      const recorded = await recordUsage(ctx, body, headers['x-idempotency-key'] || null);
      return ok(body.nonce === undefined ? recorded : { ...recorded, nonce: body.nonce });
    },
  }),
];
