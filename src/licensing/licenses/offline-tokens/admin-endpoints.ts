/** Offline tokens of a license, for staff (licensing 4.2, 6.2). */

import { z } from 'zod';
import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { flag, integer, optional } from '#kernel/http/fields.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { later } from '#kernel/sharing.ts';
import { machineIdField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { IdParams, listQuery, noteField } from '#platform/admin/index.ts';
import { issue, list, plan } from './staff.ts';
import { IssuedTokenPage, TokenTextView } from './view.ts';

const base = '/api/v1/admin/licenses/{id}';

const StaffTokenBody = later(() =>
  z
    .strictObject({
      machineId: machineIdField(),
      ttlDays: integer(1, Math.floor(bounds.offlineTtlSeconds.max / SECONDS_PER_DAY)),
      /** Binds the license to the machine first when it is not. */
      activate: optional(flag()),
      note: noteField(),
    })
    .meta({ id: 'StaffTokenBody' }),
);

export const offlineTokenAdminEndpoints = [
  endpoint({
    method: 'post',
    path: `${base}/offline-token`,
    summary: 'Issue an offline token for a machine without a network; Dry-Run shows when it would expire',
    scope: 'licensing:secrets',
    limit: null,
    rehearsable: true,
    params: IdParams,
    body: StaffTokenBody,
    replies: { 200: TokenTextView },
    errors: [
      'VALIDATION_ERROR',
      'NOT_FOUND',
      'CONFLICT',
      'LICENSE_REVOKED',
      'LICENSE_SUSPENDED',
      'LICENSE_EXPIRED',
      'NOT_ACTIVATED',
      'ACTIVATION_FAILED',
    ],
    handle: async (ctx, { params: { id }, body: { machineId, ttlDays, activate = false } }) => {
      const asked = [id, machineId, ttlDays * SECONDS_PER_DAY, { activate }] as const;
      // A token that nobody recorded must not exist.
      if (!isRehearsal(ctx)) return ok(await issue(ctx, ...asked));
      return ok({ token: null, ...(await ctx.tx((ctx) => plan(ctx, ...asked))) });
    },
  }),
  endpoint({
    method: 'get',
    path: `${base}/offline-tokens`,
    summary: 'List the offline tokens that were issued for a license, newest first',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    query: listQuery({}),
    replies: { 200: IssuedTokenPage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => ok(await list(ctx, params.id, query)),
  }),
];
