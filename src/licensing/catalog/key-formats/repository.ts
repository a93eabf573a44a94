import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { isId } from '#kernel/ids.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import type { KeyFormat } from './format.ts';
import { keyFormatRecord, type StoredKeyFormat } from './record.ts';

const TABLE = keyFormatRecord.table;

/** The format that a product names, else the one that its tenant names (D56): one look-up for both. */
const inForce = statement<{ tenant_id: string; key_format_id: string | null }>((q, p) =>
  q('license_tenants as t')
    .join('license_key_formats as f', (on) => {
      on.on('f.tenant_id', 't.id').andOn(
        'f.id',
        q.raw('coalesce(?, t.default_key_format_id)', [p('key_format_id')]),
      );
    })
    .where('t.id', p('tenant_id'))
    .select('f.*'),
);

export async function findInForce(ctx: Ctx, keyFormatId: string | null): Promise<KeyFormat | null> {
  const row = await inForce.first(ctx.db, { tenant_id: ctx.tenantId, key_format_id: keyFormatId });
  if (!row) return null;
  const { prefix, segments, segmentLength, alphabet, checksum } = keyFormatRecord.read(row);
  return { prefix, segments, segmentLength, alphabet, checksum };
}

const named = (idOrName: string) => (isId(ids.keyFormat, idOrName) ? { id: idOrName } : { name: idOrName });

/** The format, or null: unknown or of another tenant. What has the form of an id is read as one. */
export async function find(ctx: Ctx, idOrName: string): Promise<StoredKeyFormat | null> {
  const row: object | undefined = await ctx.db
    .knex(TABLE)
    .where({ tenant_id: ctx.tenantId, ...named(idOrName) })
    .first();
  return row ? keyFormatRecord.read(row) : null;
}

/** @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, idOrName: string): Promise<StoredKeyFormat> =>
  (await find(ctx, idOrName)) ?? missing(idOrName);

/** @throws AppError NOT_FOUND */
export function missing(idOrName: string): never {
  throw fail('NOT_FOUND', `key format ${idOrName} was not found`, {
    details: { hint: 'appctl keyformat list' },
  });
}

/** The format, locked until the end of the transaction; null as in `find`. */
export async function lock(ctx: Ctx, idOrName: string): Promise<StoredKeyFormat | null> {
  const row: object | undefined = await ctx.db
    .knex(TABLE)
    .where({ tenant_id: ctx.tenantId, ...named(idOrName) })
    .forUpdate()
    .first();
  return row ? keyFormatRecord.read(row) : null;
}

/** Throws a unique violation for a taken name. */
export async function insert(ctx: Ctx, format: StoredKeyFormat): Promise<void> {
  await ctx.db.knex(TABLE).insert(keyFormatRecord.write(format));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, format: StoredKeyFormat): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: format.id }).update(keyFormatRecord.write(format));
}

/** Throws a foreign key violation when something refers to it. */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id }).delete();
}

/** How many products name a format, and whether it is the tenant's default, whose row is locked for the answer. */
export async function findUses(ctx: Ctx, id: string): Promise<{ products: number; isDefault: boolean }> {
  const { knex } = ctx.db;
  const tenant: { default_key_format_id: string | null } | undefined = await knex('license_tenants')
    .where({ id: ctx.tenantId })
    .forUpdate()
    .first('default_key_format_id');
  const [counted] = await knex('license_products').where({ key_format_id: id }).count({ n: '*' });
  return { products: Number(counted?.n ?? 0), isDefault: tenant?.default_key_format_id === id };
}
