import type { Ctx } from '#kernel/context.ts';
import { type DigitalFile, digitalFileRecord } from './record.ts';

const TABLE = digitalFileRecord.table;

/** The files of a variant, in their order. */
export async function filesOf({ db }: Ctx, variantId: string): Promise<DigitalFile[]> {
  const rows: object[] = await db.knex(TABLE).where({ variant_id: variantId }).orderBy(['position', 'id']);
  return rows.map(digitalFileRecord.read);
}

/** Locked until the end of the transaction; null when the variant has no such file. */
export async function lockFile({ db }: Ctx, variantId: string, id: string): Promise<DigitalFile | null> {
  const row: object | undefined = await db
    .knex(TABLE)
    .where({ id, variant_id: variantId })
    .forUpdate()
    .first();
  return row ? digitalFileRecord.read(row) : null;
}

/** Throws a foreign key violation for a variant that does not exist. */
export async function insertFile({ db }: Ctx, file: DigitalFile): Promise<void> {
  await db.knex(TABLE).insert(digitalFileRecord.write(file));
}

export async function deleteFile({ db }: Ctx, id: string): Promise<void> {
  await db.knex(TABLE).where({ id }).delete();
}

/** Whether a file has these bytes, or somebody who bought it before it was taken away. */
export const isUsed = async ({ db }: Ctx, sha256: string): Promise<boolean> =>
  (await db.knex(TABLE).where({ sha256 }).first('id')) !== undefined ||
  (await db.knex('download_grants').where({ sha256 }).first('id')) !== undefined;
