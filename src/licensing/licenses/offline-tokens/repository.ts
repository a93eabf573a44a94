import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { type IssuedToken, offlineTokenRecord } from './record.ts';

const insertRow = insertInto(offlineTokenRecord, 'tenantId');

export async function insert(ctx: Ctx, token: IssuedToken): Promise<void> {
  await insertRow.run(ctx.db, offlineTokenRecord.write(token, { tenantId: ctx.tenantId }));
}

/** The tokens of a license, newest first, and how many there are. */
export async function listPage(
  ctx: Ctx,
  licenseId: string,
  page: { offset: number; limit: number },
): Promise<{ items: IssuedToken[]; total: number }> {
  const of = () =>
    ctx.db.knex(offlineTokenRecord.table).where({ tenant_id: ctx.tenantId, license_id: licenseId });
  const counted = await of().count({ total: '*' }).first();
  const rows = await of().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
  return { items: rows.map(offlineTokenRecord.read), total: Number(counted?.total ?? 0) };
}
