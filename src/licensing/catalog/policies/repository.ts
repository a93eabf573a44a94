import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { isId } from '#kernel/ids.ts';
import { ids } from '#licensing/contract/ids.ts';
import { type Policy, policyRecord } from './record.ts';

const TABLE = policyRecord.table;

const byId = statement<{ tenant_id: string; name: string }>((q, p) =>
  q(TABLE).where('id', p('name')).where('tenant_id', p('tenant_id')).select('*'),
);
const byName = statement<{ tenant_id: string; name: string }>((q, p) =>
  q(TABLE).where('tenant_id', p('tenant_id')).where('name', p('name')).select('*'),
);

/** The policy, or null: unknown or of another tenant. What has the form of an id is read as one. */
export async function find(ctx: Ctx, idOrName: string): Promise<Policy | null> {
  const query = isId(ids.policy, idOrName) ? byId : byName;
  const row = await query.first(ctx.db, { tenant_id: ctx.tenantId, name: idOrName });
  return row ? policyRecord.read(row) : null;
}

/** The policy, locked until the end of the transaction; null as in `find`. */
export async function lock(ctx: Ctx, idOrName: string): Promise<Policy | null> {
  const named = isId(ids.policy, idOrName) ? { id: idOrName } : { name: idOrName };
  const row: object | undefined = await ctx.db
    .knex(TABLE)
    .where({ tenant_id: ctx.tenantId, ...named })
    .forUpdate()
    .first();
  return row ? policyRecord.read(row) : null;
}

/** Throws a unique violation for a taken name. */
export async function insert(ctx: Ctx, policy: Policy): Promise<void> {
  await ctx.db.knex(TABLE).insert(policyRecord.write(policy));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, policy: Policy): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: policy.id }).update(policyRecord.write(policy));
}

/** Throws a foreign key violation when something refers to it. */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).delete();
}

/** How many products and licenses name a policy, licenses in the trash with them. */
export async function countLinks(
  ctx: Ctx,
  policyId: string,
): Promise<{ products: number; licenses: number }> {
  const { knex } = ctx.db;
  const [products] = await knex('license_products').where({ policy_id: policyId }).count({ n: '*' });
  const [licenses] = await knex('licenses').where({ policy_id: policyId }).count({ n: '*' });
  return { products: Number(products?.n ?? 0), licenses: Number(licenses?.n ?? 0) };
}
