import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { matching } from '#kernel/db/selection/filter.ts';
import { amongValues } from '#kernel/db/slots.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Asked, knownLicenses, type License, toLicense } from '../queries.ts';

const ofOrder = statement<Asked & { order_id: string }>((q, p) =>
  knownLicenses(q, p).where('l.order_id', p('order_id')),
);

const among = amongValues<Asked, Record<string, unknown>>((q, p, ids) =>
  knownLicenses(q, p).whereIn('l.id', ids),
);

/**
 * Licenses by their ids or of an order, in the order of their creation; without those that are unknown, in the trash, or
 * outside of what the caller may see.
 */
export async function findLicenses(
  ctx: Ctx,
  named: { readonly ids: readonly string[] } | { readonly orderId: string },
): Promise<License[]> {
  const own = { tenant_id: ctx.tenantId, now: ctx.now() };
  const rows =
    'orderId' in named
      ? await ofOrder.all(ctx.db, { ...own, order_id: named.orderId })
      : await among(ctx.db, own, named.ids);
  // Imported licenses keep the time of their creation, so that their ids do not tell their age.
  const age = ({ createdAt, id }: License) => `${createdAt} ${id}`;
  return rows
    .filter((row) => reaches(ctx.actor, 'license_product', row.product_id as string))
    .map(toLicense)
    .sort((a, b) => (age(a) < age(b) ? -1 : 1));
}

/** More licenses than begin alike: who types less than this tells apart has to type more. */
const MOST_ALIKE = 100;

/** Ids of the licenses whose current key has a digest; at most one. */
export const idsByDigest = async (ctx: Ctx, digest: string): Promise<string[]> =>
  idsIn(ctx, current(ctx).where('k.digest', digest));

/** Ids of the licenses whose current key begins with a text, as far as its beginning is shown. */
export const idsByBeginning = async (ctx: Ctx, beginning: string): Promise<string[]> =>
  idsIn(
    ctx,
    current(ctx)
      .where((any) => matching(any, 'k.prefix', beginning, 'prefix'))
      .limit(MOST_ALIKE),
  );

const current = (ctx: Ctx) =>
  ctx.db
    .knex('license_keys as k')
    .join('licenses as l', 'l.id', 'k.license_id')
    .where({ 'k.kind': 'CURRENT', 'l.tenant_id': ctx.tenantId, 'l.honeypot': false })
    .whereNull('l.deleted_at');

async function idsIn(ctx: Ctx, query: ReturnType<typeof current>): Promise<string[]> {
  const rows: { id: string; product_id: string }[] = await query.select('l.id', 'l.product_id');
  return rows.filter((row) => reaches(ctx.actor, 'license_product', row.product_id)).map(({ id }) => id);
}
