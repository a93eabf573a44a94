import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Email, type EmailStatus, emailRecord } from './record.ts';

const TABLE = emailRecord.table;

const added = statement<Record<string, unknown>>((q, p) =>
  q(TABLE)
    .insert(p.row(...emailRecord.written, 'values_enc'))
    .onConflict('dedupe_key')
    .ignore(),
);

/** Writes a mail once. @returns false when one with its dedupe key is there */
export async function insert({ db }: Ctx, email: Email, valuesEnc: string | null): Promise<boolean> {
  return (await added.run(db, emailRecord.write(email, { valuesEnc }))) === 1;
}

const toAddress = statement<{ template: string; since: string; address: string }, { n: number | string }>(
  (q, p) =>
    q(TABLE)
      .where('template', p('template'))
      .where('created_at', '>=', p('since'))
      .where(q.raw('LOWER(to_address)') as never, p('address'))
      .count({ n: '*' }),
);

/** Mails of one template to an address, in whatever letters it was typed. @param about `since` an ISO time */
export async function countTo(
  { db }: Ctx,
  about: { readonly template: string; readonly address: string; readonly since: string },
): Promise<number> {
  const row = await toAddress.first(db, { ...about, address: about.address.toLowerCase() });
  return Number(row?.n ?? 0);
}

/** A mail with its sealed values. */
export interface Stored {
  readonly email: Email;
  readonly valuesEnc: string | null;
}

/** A row with its values. */
export const storedOf = (row: Record<string, unknown> | undefined): Stored | null =>
  row ? { email: emailRecord.read(row), valuesEnc: (row.values_enc as string | null) ?? null } : null;

const beginRow = statement<{ id: string; updated_at: string }, Record<string, unknown>>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .whereIn('status', ['queued', 'sending'])
    .update({ status: q.raw("'sending'") as never, updated_at: p('updated_at') })
    .returning('*'),
);

/** A mail whose attempt begins now; null when it has ended or is gone. */
export const begin = async (ctx: Ctx, id: string): Promise<Stored | null> =>
  storedOf(await beginRow.first(ctx.db, { id, updated_at: ctx.now() }));

/** Where a mail stands after an attempt. */
export interface Standing {
  readonly id: string;
  readonly run: number;
  readonly status: EmailStatus;
  readonly attempts: number;
  readonly error: string | null;
  readonly messageId: string | null;
  readonly nextAttemptAt: string | null;
  readonly sentAt: string | null;
  readonly endedAt: string | null;
}

/** @param dropsValues they open something, and it has ended */
export async function stand(ctx: Ctx, to: Standing, dropsValues: boolean): Promise<boolean> {
  const { id, run, ...rest } = to;
  const values = dropsValues ? { valuesEnc: null } : {};
  const changed = await ctx.db
    .knex(TABLE)
    .where({ id, run, status: 'sending' })
    .update(emailRecord.part({ ...rest, ...values, updatedAt: ctx.now() }));
  return changed === 1;
}

/** The mail, locked until the end of the transaction; null when unknown. */
export const lock = async ({ db }: Ctx, id: string): Promise<Stored | null> =>
  storedOf(await db.knex(TABLE).where({ id }).forUpdate().first());

/** @param dropsValues its values go for good */
export async function update({ db }: Ctx, email: Email, dropsValues = false): Promise<void> {
  await db
    .knex(TABLE)
    .where({ id: email.id })
    .update(emailRecord.write(email, dropsValues ? { valuesEnc: null } : undefined));
}
