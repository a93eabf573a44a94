import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { bounds, limits } from '#licensing/contract/limits.ts';
import { renew, revoke } from './lifecycle.ts';
import { licenseCreated } from './public.ts';
import { ByOrderReply, LicenseReply, OrderParams, RenewBody, RevokeBody } from './schemas.ts';
import { licenseRows } from './search/queries.ts';

const most = bounds.byOrderLicenses;

/** What a shop does with licenses that it has sold before. */
export const lifecycleEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/license/by-order/{orderId}',
    summary: 'List the licenses of an order, oldest first',
    scope: 'CREATE_LICENSE',
    limit: limits.read_extra,
    params: OrderParams,
    replies: { 200: ByOrderReply },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { params }) => {
      // Imported licenses keep the time of their creation, so that their ids do not tell their age.
      const page = { sort: 'created', offset: 0, limit: most };
      const { items, total } = await licenseRows.page(ctx, { ...page, filters: { orderId: params.orderId } });
      const licenses = items.map((license) => licenseCreated(ctx, license));
      return ok(total > most ? { licenses, total } : { licenses });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/v1/license/revoke',
    summary: 'Revoke a license permanently and end all its activations',
    scope: 'CREATE_LICENSE',
    limit: limits.write,
    body: RevokeBody,
    replies: { 200: LicenseReply },
    errors: ['INVALID_KEY', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const { reason = null, ...reference } = body;
      return ok({ license: licenseCreated(ctx, await revoke(ctx, reference, reason)) });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/v1/license/renew',
    summary: 'Renew a license; an EXPIRED license becomes ACTIVE',
    scope: 'CREATE_LICENSE',
    limit: limits.write,
    body: RenewBody,
    replies: { 200: LicenseReply },
    errors: ['INVALID_KEY', 'LICENSE_REVOKED', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const { validUntil, ...reference } = body;
      return ok({ license: licenseCreated(ctx, await renew(ctx, reference, validUntil)) });
    },
  }),
];
