import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import { type Capability, capability, type StaffResource } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { queryInteger } from '#kernel/http/fields.ts';
import { isOn } from '#kernel/settings-reader.ts';
import { later } from '#kernel/sharing.ts';
import { ANY_STAFF } from './fields.ts';
import { searchField } from './manner.ts';
import type { ResourceSpec } from './resource.ts';

const MOST_OF_ONE = 20;

const Hits = later(() =>
  z
    .object({
      items: z.array(
        z
          .object({
            /** Name of the resource. */
            resource: z.string(),
            id: z.string(),
            title: z.string(),
            hint: z.string().nullable(),
          })
          .meta({ id: 'SearchHit' }),
      ),
    })
    .meta({ id: 'SearchHits' }),
);

/** What of a resource a text finds, for whoever may see it. */
export async function searchIn<Row extends { readonly id: string }>(
  spec: ResourceSpec<Row>,
  ctx: Ctx,
  q: string,
  limit: number,
): Promise<z.output<typeof Hits>['items']> {
  const { palette, rows, name, needs } = spec;
  if (!palette || !allows(ctx.actor, needs.read)) return [];
  const { items } = await rows.after(ctx, { q, cursor: null, limit });
  return items.map((row) => ({
    resource: name,
    id: row.id,
    title: palette.title(row),
    hint: palette.hint?.(row) ?? null,
  }));
}

/**
 * One search over everything that staff works with (admin.md 4): each resource is looked through as its own list is, so
 * that nothing is found that the list would not show.
 *
 * @param resources in the order of their hits
 */
export const searching = (resources: readonly StaffResource[]): Capability =>
  capability({
    name: 'search',
    adminEndpoints: [
      endpoint({
        method: 'get',
        path: '/api/v1/admin/search',
        summary: 'Search licenses, customers, machines and everything else that staff work with',
        scope: ANY_STAFF,
        limit: null,
        query: later(() =>
          z.strictObject({
            q: searchField(),
            limit: queryInteger({ min: 1, max: MOST_OF_ONE, fallback: 5 }),
          }),
        ),
        replies: { 200: Hits },
        errors: ['VALIDATION_ERROR'],
        async handle(ctx, { query: { q, limit } }) {
          // At the same time: what reads all names of one kind waits for no other.
          const found = await Promise.all(
            resources.filter((one) => isOn(one, ctx)).map((one) => one.search(ctx, q, limit)),
          );
          return ok({ items: found.flat() });
        },
      }),
    ],
  });
