import type { Ctx } from '#kernel/context.ts';
import {
  type AcmeServer,
  acmeServerRecord,
  type Challenge,
  type ChallengeType,
  certificateRecord,
  challengeRecord,
  type StoredCertificate,
} from './record.ts';

const TABLE = certificateRecord.table;

/** Ciphertexts are bound to their row. */
const owner = (name: string): string => `tls-certificate:${name}`;

/** The row of a name; null before the first order. */
export async function find({ db }: Ctx, name: string): Promise<StoredCertificate | null> {
  const row: object | undefined = await db.knex(TABLE).where({ name }).first();
  return row ? certificateRecord.read(row) : null;
}

/** The private key of a certificate, as PEM; null where there is none. @throws SealError of another master key */
export async function openKey(ctx: Ctx, name: string): Promise<string | null> {
  const row: { key_enc: string | null } | undefined = await ctx.db
    .knex(TABLE)
    .where({ name })
    .first('key_enc');
  return row?.key_enc ? ctx.keyring.open('secret', row.key_enc, owner(name)) : null;
}

/** Writes the row of a name in place of the one before; the key stays where none is given. */
export async function save(ctx: Ctx, one: StoredCertificate, key?: string): Promise<void> {
  const row = certificateRecord.write(
    one,
    key === undefined ? {} : { keyEnc: ctx.keyring.seal('secret', key, owner(one.name)) },
  );
  const { created_at: _first, key_enc, ...rest } = row;
  const changed = key === undefined ? rest : { ...rest, key_enc };
  await ctx.db.knex(TABLE).insert(row).onConflict('name').merge(Object.keys(changed));
}

/** Lets every server answer an authority. */
export async function addChallenge(ctx: Ctx, challenge: Challenge): Promise<void> {
  await ctx.db
    .knex(challengeRecord.table)
    .insert(challengeRecord.write(challenge))
    .onConflict(['type', 'subject'])
    .merge();
}

/** Forgets challenges that were made before a time, or one of them. */
export async function removeChallenges({ db }: Ctx, before: string): Promise<void> {
  await db.knex(challengeRecord.table).where('created_at', '<', before).delete();
}

export async function removeChallenge({ db }: Ctx, type: ChallengeType, subject: string): Promise<void> {
  await db.knex(challengeRecord.table).where({ type, subject }).delete();
}

export async function listChallenges({ db }: Ctx): Promise<Challenge[]> {
  const rows: object[] = await db.knex(challengeRecord.table);
  return rows.map((row) => challengeRecord.read(row));
}

/** Notes for which authority a server is configured. */
export async function hear(ctx: Ctx, one: AcmeServer): Promise<void> {
  const row = acmeServerRecord.write(one);
  const { created_at: _first, ...changed } = row;
  await ctx.db.knex(acmeServerRecord.table).insert(row).onConflict('server').merge(Object.keys(changed));
}

/** Servers that were heard of since a time, by their names. */
export async function listServers({ db }: Ctx, since: string): Promise<AcmeServer[]> {
  const rows: object[] = await db
    .knex(acmeServerRecord.table)
    .where('heard_at', '>=', since)
    .orderBy('server');
  return rows.map((row) => acmeServerRecord.read(row));
}
