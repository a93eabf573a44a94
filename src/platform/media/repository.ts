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

const byId = statement<{ id: string }>((q, p) => q(TABLE).where('id', p('id')).select('*'));

/** A picture; null when it is unknown. */
export async function find({ db }: Ctx, id: string): Promise<Media | null> {
  const row = await byId.first(db, { id });
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

/** Has the variants of some made again, in the order of their ids. @returns ids of those that were marked */
export async function markProcessing(ctx: Ctx, after: string, limit: number): Promise<string[]> {
  const { knex } = ctx.db;
  const rows: { id: string }[] = await knex(TABLE)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .select('id');
  const ids = rows.map(({ id }) => id);
  await knex(TABLE)
    .whereIn('id', ids)
    .update({
      status: 'processing',
      failure: null,
      version: knex.raw('version + 1'),
      updated_at: ctx.now(),
    });
  return ids;
}

/** How many pictures there are of each status. */
export async function countByStatus({ db }: Ctx): Promise<Partial<Record<Media['status'], number>>> {
  const rows = (await db.knex(TABLE).groupBy('status').select('status').count('* as count')) as {
    status: Media['status'];
    count: unknown;
  }[];
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** What says which files a picture has. */
export type StoredMedia = Pick<Media, 'id' | 'fileName' | 'sha256' | 'storageKey' | 'variants' | 'status'>;

/** Every picture, in the order of their ids. */
export async function listStored({ db }: Ctx): Promise<StoredMedia[]> {
  const rows: object[] = await db.knex(TABLE).orderBy('id');
  return rows.map((row) => {
    const { id, fileName, sha256, storageKey, variants, status } = mediaRecord.read(row);
    return { id, fileName, sha256, storageKey, variants, status };
  });
}

/** Those that were uploaded last. */
export async function listNewest({ db }: Ctx, limit: number): Promise<Media[]> {
  const rows: object[] = await db
    .knex(TABLE)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit);
  return rows.map(mediaRecord.read);
}

/** Pictures of which nothing could be made for one of these reasons, in the order of their ids. */
export async function listFailed({ db }: Ctx, failures: readonly string[], limit: number): Promise<Media[]> {
  const rows: object[] = await db
    .knex(TABLE)
    .where({ status: 'failed' })
    .whereIn('failure', [...failures])
    .orderBy('id')
    .limit(limit);
  return rows.map(mediaRecord.read);
}

/** Pictures whose variants are not made yet: first those that nobody can see yet, then those that wait longest. */
export async function listProcessing({ db }: Ctx, limit: number): Promise<Media[]> {
  const waiting = () =>
    db.knex(TABLE).where({ status: 'processing' }).orderBy(['created_at', 'id']).limit(limit);
  const unseen: object[] = await waiting().whereNull('variants');
  const rows: object[] = unseen.length > 0 ? unseen : await waiting();
  return rows.map(mediaRecord.read);
}
