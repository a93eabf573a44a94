import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { limits } from '#licensing/contract/limits.ts';
import { heartbeat } from './heartbeat.ts';
import { HeartbeatBody, HeartbeatReply } from './schemas.ts';

export const heartbeatEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/license/heartbeat',
    summary: 'Report that a machine is in use',
    scope: 'VALIDATE_ONLY',
    limit: limits.heartbeat,
    body: HeartbeatBody,
    replies: { 200: HeartbeatReply },
    errors: ['INVALID_KEY', 'LICENSE_INACTIVE', 'NOT_ACTIVATED', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const beat = await heartbeat(ctx, body);
      return ok(body.nonce === undefined ? beat : { ...beat, nonce: body.nonce });
    },
  }),
];
