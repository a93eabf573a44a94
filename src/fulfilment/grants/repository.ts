import type { Ctx } from '#kernel/context.ts';
import { amongValues } from '#kernel/db/slots.ts';
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

const among = amongValues((q, _p, variants) => q(TABLE).whereIn('variant_id', variants).select('*'));

/** The grants of variants. */
export const grantsOf = async ({ db }: Ctx, variantIds: readonly string[]): Promise<LicenseGrant[]> =>
  (await among(db, {}, variantIds)).map(licenseGrantRecord.read);

/** Stores the grant of a variant in place of the one that it had. Throws a foreign key violation for an unknown variant. */
export async function putGrant({ db }: Ctx, grant: LicenseGrant): Promise<void> {
  const row = licenseGrantRecord.write(grant);
  await db.knex(TABLE).insert(row).onConflict('variant_id').merge();
}

export async function deleteGrant({ db }: Ctx, variantId: string): Promise<void> {
  await db.knex(TABLE).where({ variant_id: variantId }).delete();
}
