import type { Ctx } from '#kernel/context.ts';
import { type CustomerGroup, customerGroupRecord, groupMemberRecord } from './record.ts';

const GROUPS = customerGroupRecord.table;
const MEMBERS = groupMemberRecord.table;

/** The group, locked until the end of the transaction; null when unknown. */
export async function lockGroup({ db }: Ctx, id: string): Promise<CustomerGroup | null> {
  const row: object | undefined = await db.knex(GROUPS).where({ id }).forUpdate().first();
  return row ? customerGroupRecord.read(row) : null;
}

export async function insertGroup({ db }: Ctx, group: CustomerGroup): Promise<void> {
  await db.knex(GROUPS).insert(customerGroupRecord.write(group));
}

export async function updateGroup({ db }: Ctx, group: CustomerGroup): Promise<void> {
  await db.knex(GROUPS).where({ id: group.id }).update(customerGroupRecord.write(group));
}

/** Its members leave with it. */
export async function deleteGroup({ db }: Ctx, id: string): Promise<void> {
  await db.knex(GROUPS).where({ id }).delete();
}

/** @returns how many were not in it */
export async function addMembers(ctx: Ctx, groupId: string, customerIds: readonly string[]): Promise<number> {
  if (customerIds.length === 0) return 0;
  const createdAt = ctx.now();
  const rows = customerIds.map((customerId) => groupMemberRecord.write({ groupId, customerId, createdAt }));
  const added: object[] = await ctx.db
    .knex(MEMBERS)
    .insert(rows)
    .onConflict(['group_id', 'customer_id'])
    .ignore()
    .returning('customer_id');
  return added.length;
}

/** @returns how many were in it */
export const removeMembers = async (
  { db }: Ctx,
  groupId: string,
  customerIds: readonly string[],
): Promise<number> =>
  customerIds.length === 0
    ? 0
    : db.knex(MEMBERS).where({ group_id: groupId }).whereIn('customer_id', customerIds).delete();

/** Groups that staff brought a customer into. */
export async function handGroupsOf({ db }: Ctx, customerId: string): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex({ m: MEMBERS })
    .join({ g: GROUPS }, 'g.id', 'm.group_id')
    .where('m.customer_id', customerId)
    .whereNull('g.rule')
    .orderBy('g.id')
    .select('g.id');
  return rows.map(({ id }) => id);
}

/** Takes a customer out of every group. */
export async function leaveAll({ db }: Ctx, customerId: string): Promise<void> {
  await db.knex(MEMBERS).where({ customer_id: customerId }).delete();
}
