import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const statusOf = statement<{ id: string }, { status: string }>((q, p) =>
  q('license_tenants').where('id', p('id')).select('status'),
);

export const findStatus = async (ctx: Ctx, id: string): Promise<string | null> =>
  (await statusOf.first(ctx.db, { id }))?.status ?? null;

export async function findIdBySlug(ctx: Ctx, slug: string): Promise<string | null> {
  const row = await ctx.db.knex('license_tenants').where({ slug }).first('id');
  return row?.id ?? null;
}
