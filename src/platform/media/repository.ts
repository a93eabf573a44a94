import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Media, mediaRecord } from './record.ts';

const TABLE = mediaRecord.table;

const bySha = statement<{ sha256: string }>((q, p) => q(TABLE).where('sha256', p('sha256')).select('*'));

/** The picture whose original has a digest; null when there is none. */
export async function findBySha({ db }: Ctx, sha256: string): Promise<Media | null> {
  const row = await bySha.first(db, { sha256 });
  return row === undefined ? null : mediaRecord.read(row);
}

/** Locked until the end of the transaction; null when unknown. */
export async function lock(
  { db }: Ctx,
  which: { readonly id: string } | { readonly sha256: string },
): Promise<Media | null> {
  const row: object | undefined = await db.knex(TABLE).where(which).forUpdate().first();
  return row ? mediaRecord.read(row) : null;
}

/** @returns false when there is one with the same bytes */
export async function insert({ db }: Ctx, media: Media): Promise<boolean> {
  const row = mediaRecord.write(media);
  return (await db.knex(TABLE).insert(row).onConflict('sha256').ignore().returning('id')).length === 1;
}

/** As its next version. */
export async function update({ db }: Ctx, media: Media): Promise<void> {
  const next = { ...media, version: media.version + 1 };
  await db.knex(TABLE).where({ id: media.id }).update(mediaRecord.write(next));
}

/** Throws a foreign key violation for one that is shown somewhere. */
export async function remove({ db }: Ctx, id: string): Promise<void> {
  await db.knex(TABLE).where({ id }).delete();
}

/** Pictures whose variants are not made yet, those that wait longest first. */
export async function listProcessing({ db }: Ctx, limit: number): Promise<Media[]> {
  const rows: object[] = await db
    .knex(TABLE)
    .where({ status: 'processing' })
    .orderBy(['created_at', 'id'])
    .limit(limit);
  return rows.map(mediaRecord.read);
}
