/** Releases, for staff (licensing 4.2, Releases). */
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { created, endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { IfMatchHeaders, readAt } from '#kernel/http/if-match.ts';
import { Deleted, IdParams, listQuery, noteField } from '#platform/admin/index.ts';
import { create, remove, update } from './draft.ts';
import { get, list, ReleaseFilters, stats } from './read.ts';
import type { Release } from './release.ts';
import { ReleaseCreate, ReleaseUpdate } from './schemas.ts';
import { OneRelease, ReleasePage, ReleaseStatsView, type ReleaseView, releaseView } from './view.ts';

const base = '/api/v1/admin/releases';

/** What answers a change of one release. */
export const one = (ctx: Ctx, release: Release): { release: ReleaseView } => ({
  release: releaseView(release, ctx.now()),
});

const dayField = () =>
  text({ min: 10, max: 10, form: { pattern: /^\d{4}-\d\d-\d\d$/, says: 'a day, YYYY-MM-DD in UTC' } });

const reading = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the releases, newest first',
    scope: 'licensing:read',
    limit: null,
    query: listQuery(ReleaseFilters),
    replies: { 200: ReleasePage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { query }) => {
      const { items, pagination } = await list(ctx, query);
      const now = ctx.now();
      return ok({ items: items.map((release) => releaseView(release, now)), pagination });
    },
  }),
  endpoint({
    method: 'get',
    path: `${base}/{id}`,
    summary: 'Show one release',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    replies: { 200: OneRelease },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok(one(ctx, await get(ctx, params.id))),
  }),
  endpoint({
    method: 'get',
    path: `${base}/{id}/stats`,
    summary: 'Show how often a release was looked for, offered and downloaded',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    query: z.strictObject({ from: dayField().optional(), to: dayField().optional() }),
    replies: { 200: ReleaseStatsView },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => ok(await stats(ctx, params.id, query)),
  }),
];

const drafting = [
  endpoint({
    method: 'post',
    path: base,
    summary: 'Make a draft of a release',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    body: ReleaseCreate.extend({ note: noteField() }).meta({ id: 'ReleaseCreateBody' }),
    replies: { 201: OneRelease },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    handle: async (ctx, { body: { note, ...input } }) =>
      created(one(ctx, await create(ctx, input, { note }))),
  }),
  endpoint({
    method: 'patch',
    path: `${base}/{id}`,
    summary: 'Change a release; once published only its changelog and rollout',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    headers: IfMatchHeaders,
    body: ReleaseUpdate.extend({ note: noteField() }).meta({ id: 'ReleaseUpdateBody' }),
    replies: { 200: OneRelease },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers, body: { note, ...changes } }) =>
      ok(one(ctx, await update(ctx, params.id, changes, { note, ifMatch: readAt(headers) }))),
  }),
  endpoint({
    method: 'delete',
    path: `${base}/{id}`,
    summary: 'Delete a draft',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    headers: IfMatchHeaders,
    replies: { 200: Deleted },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers }) => {
      await remove(ctx, params.id, { ifMatch: readAt(headers) });
      return ok({ id: params.id, deleted: true as const });
    },
  }),
];

export const releaseAdminEndpoints = [...reading, ...drafting];
