import type { Ctx } from '#kernel/context.ts';
import { choiceRecord } from './record.ts';

const TABLE = choiceRecord.table;

/** What somebody chose, by the keys of the mails. */
export async function choicesOf({ db }: Ctx, adminUserId: string): Promise<ReadonlyMap<string, boolean>> {
  const rows: object[] = await db.knex(TABLE).where({ admin_user_id: adminUserId });
  return new Map(rows.map(choiceRecord.read).map(({ mail, isWanted }) => [mail, isWanted]));
}

/** Keeps what somebody wants of the mails that are named. */
export async function choose(
  ctx: Ctx,
  adminUserId: string,
  wanted: ReadonlyMap<string, boolean>,
): Promise<void> {
  const now = ctx.now();
  for (const [mail, isWanted] of wanted) {
    const row = choiceRecord.write({ adminUserId, mail, isWanted, createdAt: now, updatedAt: now });
    const { created_at: _first, ...changed } = row;
    await ctx.db.knex(TABLE).insert(row).onConflict(['admin_user_id', 'mail']).merge(Object.keys(changed));
  }
}
