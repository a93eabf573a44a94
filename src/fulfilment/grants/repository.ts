import type { Ctx } from '#kernel/context.ts';
import { fillSlots, slotsOf } from '#kernel/db/slots.ts';
import { statement } from '#kernel/db/statement.ts';
import { type LicenseGrant, licenseGrantRecord } from './record.ts';

const TABLE = licenseGrantRecord.table;

const granted = statement<{ variant: string }, object>((q, p) =>
  q(TABLE).where('variant_id', p('variant')).select('*'),
);

/** The grant of a variant; null for most of them. */
export async function grantOf({ db }: Ctx, variantId: string): Promise<LicenseGrant | null> {
  const row = await granted.first(db, { variant: variantId });
  return row === undefined ? null : licenseGrantRecord.read(row);
}

const slots = slotsOf('variant', 64);
const among = statement<{ [slot: string]: string | null }, object>((q, p) =>
  q(TABLE).whereIn('variant_id', slots.map(p)).select('*'),
);

/** The grants of variants: one question for 64 of them. */
export async function grantsOf({ db }: Ctx, variantIds: readonly string[]): Promise<LicenseGrant[]> {
  const ids = [...new Set(variantIds)];
  const rows: object[] = [];
  for (let at = 0; at < ids.length; at += slots.length)
    rows.push(...(await among.all(db, fillSlots(slots, ids.slice(at, at + slots.length)))));
  return rows.map(licenseGrantRecord.read);
}

/** Stores the grant of a variant in place of the one that it had. Throws a foreign key violation for an unknown variant. */
export async function putGrant({ db }: Ctx, grant: LicenseGrant): Promise<void> {
  const row = licenseGrantRecord.write(grant);
  await db.knex(TABLE).insert(row).onConflict('variant_id').merge();
}

export async function deleteGrant({ db }: Ctx, variantId: string): Promise<void> {
  await db.knex(TABLE).where({ variant_id: variantId }).delete();
}
