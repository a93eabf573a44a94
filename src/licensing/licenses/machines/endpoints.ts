import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { limits } from '#licensing/contract/limits.ts';
import { activate } from './activate.ts';
import { deactivate } from './deactivate.ts';
import { ActivateBody, ActivateReply, DeactivateBody, DeactivateReply } from './schemas.ts';

export const machineEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/license/activate',
    summary: 'Bind a license to a machine',
    scope: 'VALIDATE_ONLY',
    limit: limits.write,
    body: ActivateBody,
    replies: { 200: ActivateReply },
    errors: ['ACTIVATION_FAILED', 'INVALID_KEY', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const activated = await activate(ctx, body);
      return ok(body.nonce === undefined ? activated : { ...activated, nonce: body.nonce });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/v1/license/deactivate',
    summary: 'Release a machine and free its slot',
    scope: 'VALIDATE_ONLY',
    limit: limits.write,
    body: DeactivateBody,
    replies: { 200: DeactivateReply },
    errors: ['DEACTIVATION_FAILED', 'INVALID_KEY', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body }) => ok(await deactivate(ctx, body)),
  }),
];
