import type { Ctx } from '#kernel/context.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { limits } from '#licensing/contract/limits.ts';
import { validateEntitlement } from './entitlement.ts';
import {
  CheckParams,
  CheckQuery,
  CheckReply,
  ValidateBody,
  ValidateEntitlementBody,
  ValidateEntitlementReply,
  ValidateReply,
} from './schemas.ts';
import * as validation from './validation.ts';

/** `valid: false` refuses, as an error does: its request is named too, so that `license why` explains it (D1). */
const numbered = <T extends { valid: boolean }>(ctx: Ctx, answer: T) =>
  answer.valid ? answer : { ...answer, requestId: ctx.origin.requestId };

export const validationEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/license/validate',
    summary: 'Check whether a machine may use a license',
    scope: 'VALIDATE',
    limit: limits.read,
    body: ValidateBody,
    replies: { 200: ValidateReply },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => ok(numbered(ctx, (await validation.validate(ctx, body)).answer)),
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/license/check/{key}',
    summary: 'Get the status of a license key',
    scope: 'CHECK',
    limit: limits.read,
    params: CheckParams,
    query: CheckQuery,
    replies: { 200: CheckReply },
    errors: ['NOT_FOUND'],
    handle: async (ctx, { params, query }) => {
      const answer = await validation.check(ctx, params.key);
      return ok(query.nonce === undefined ? answer : { ...answer, nonce: query.nonce });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/v1/license/validate-entitlement',
    summary: 'Check whether a license includes an entitlement',
    scope: 'VALIDATE',
    limit: limits.read_extra,
    body: ValidateEntitlementBody,
    replies: { 200: ValidateEntitlementReply },
    errors: ['INVALID_KEY', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const answer = numbered(ctx, await validateEntitlement(ctx, body));
      return ok(body.nonce === undefined ? answer : { ...answer, nonce: body.nonce });
    },
  }),
];
