import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { limits } from '#licensing/contract/limits.ts';
import { issueForClient } from './issue.ts';
import { OfflineTokenBody, OfflineTokenReply } from './schemas.ts';

export const offlineTokenEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/license/offline-token',
    summary: 'Issue a signed token that proves a license offline',
    scope: 'VALIDATE_ONLY',
    limit: limits.offline_token,
    body: OfflineTokenBody,
    replies: { 200: OfflineTokenReply },
    errors: [
      'NOT_FOUND',
      'INVALID_KEY',
      'LICENSE_REVOKED',
      'LICENSE_SUSPENDED',
      'LICENSE_EXPIRED',
      'NOT_ACTIVATED',
      'VALIDATION_ERROR',
    ],
    handle: async (ctx, { body }) => {
      const issued = await issueForClient(ctx, body);
      return ok(body.nonce === undefined ? issued : { ...issued, nonce: body.nonce });
    },
  }),
];
