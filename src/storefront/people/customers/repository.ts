import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { columnName } from '#kernel/db/record.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Customer, type CustomerNote, customerNoteRecord, shopCustomerRecord } from './record.ts';

const TABLE = shopCustomerRecord.table;

const added = statement<Record<string, unknown>>((q, p) =>
  q(TABLE)
    .insert(p.row(...shopCustomerRecord.written, 'password_hash', 'session_generation', 'failed_logins'))
    .onConflict()
    .ignore(),
);
/** @returns false where the address has a guest, or an account, already */
export const insertNew = async (
  { db }: Ctx,
  one: Customer,
  passwordHash: string | null = null,
): Promise<boolean> => {
  const beside = { passwordHash, sessionGeneration: 0, failedLogins: 0 };
  return (await added.run(db, shopCustomerRecord.write(one, beside))) === 1;
};

const guest = statement<{ email_norm: string }, object>((q, p) =>
  q(TABLE)
    .where('email_norm', p('email_norm'))
    .whereRaw('is_guest = TRUE')
    .whereNot('status', 'anonymised')
    .select('*'),
);
export async function findGuest({ db }: Ctx, emailNorm: string): Promise<Customer | null> {
  const row = await guest.first(db, { email_norm: emailNorm });
  return row ? shopCustomerRecord.read(row) : null;
}

const changed = statement<Record<string, unknown>>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .update(p.row('first_name', 'last_name', 'phone', 'locale', 'accepts_marketing', 'updated_at')),
);
export const updateGuest = ({ db }: Ctx, one: Customer): Promise<number> =>
  changed.run(db, shopCustomerRecord.write(one));

const counted = statement<{ id: string; orders: number; cents: number; now: string }>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .whereNull('merged_into_id')
    .update({
      order_count: q.raw('order_count + ?', [p('orders')]),
      spent_cents: q.raw('spent_cents + ?', [p('cents')]),
      updated_at: p('now'),
    }),
);
/** @param orders placed, or cancelled with a minus @returns 0 for one who was merged into another one */
export const count = (ctx: Ctx, id: string, orders: number, cents: number): Promise<number> =>
  counted.run(ctx.db, { id, orders, cents, now: ctx.now() });

const byId = statement<{ id: string }, object>((q, p) => q(TABLE).where('id', p('id')).select('*'));
export async function find({ db }: Ctx, id: string): Promise<Customer | null> {
  const row = await byId.first(db, { id });
  return row ? shopCustomerRecord.read(row) : null;
}

/** The customer, locked until the end of the transaction; null when unknown. */
export async function lock({ db }: Ctx, id: string): Promise<Customer | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).forUpdate().first();
  return row ? shopCustomerRecord.read(row) : null;
}

/** Writes some fields, and what follows from them. @throws where another account has the address */
export async function update({ db }: Ctx, after: Customer, part: Partial<Customer>): Promise<void> {
  await db
    .knex(TABLE)
    .where({ id: after.id })
    .update({ ...shopCustomerRecord.part(part), ...shopCustomerRecord.derived(after) });
}

/** Customers who are not erased, by an address as it is compared. */
export async function listByEmail({ db }: Ctx, emailNorm: string): Promise<Customer[]> {
  const rows: object[] = await db
    .knex(TABLE)
    .where({ email_norm: emailNorm })
    .whereNot('status', 'anonymised')
    .orderBy('id');
  return rows.map(shopCustomerRecord.read);
}

/** What opens something goes, too. */
export async function anonymise({ db }: Ctx, one: Customer): Promise<void> {
  const secrets = Object.entries(shopCustomerRecord.columns).flatMap(([name, { traits }]) =>
    traits.isSecret && traits.isNullable ? [[columnName(name), null]] : [],
  );
  await db
    .knex(TABLE)
    .where({ id: one.id })
    .update({ ...shopCustomerRecord.write(one), ...Object.fromEntries(secrets) });
}

/** Emails that a customer may switch off. */
export interface Preferences {
  /** About a cart that was left. */
  readonly cartReminders: boolean;
  /** About goods that arrived. */
  readonly reviewRequests: boolean;
}

export async function preferencesOf({ db }: Ctx, id: string): Promise<Preferences> {
  const row: Record<string, unknown> | undefined = await db
    .knex(TABLE)
    .where({ id })
    .first('cart_reminders', 'review_requests');
  return { cartReminders: readFlag(row?.cart_reminders), reviewRequests: readFlag(row?.review_requests) };
}

export async function setPreferences(ctx: Ctx, id: string, part: Partial<Preferences>): Promise<void> {
  await ctx.db
    .knex(TABLE)
    .where({ id })
    .update(shopCustomerRecord.part({ ...part, updatedAt: ctx.now() }));
}

export async function insertNote({ db }: Ctx, note: CustomerNote): Promise<void> {
  await db.knex(customerNoteRecord.table).insert(customerNoteRecord.write(note));
}

export async function deleteNote({ db }: Ctx, id: string): Promise<void> {
  await db.knex(customerNoteRecord.table).where({ id }).delete();
}

const pointer = statement<{ id: string }, { merged_into_id: string | null }>((q, p) =>
  q(TABLE).where('id', p('id')).select('merged_into_id'),
);
/** Into whom a customer was merged; null when into nobody. */
export const mergedInto = async ({ db }: Ctx, id: string): Promise<string | null> =>
  (await pointer.first(db, { id }))?.merged_into_id ?? null;

/** Leaves nothing of an account to sign in with, and brings those who were merged into it to somebody else. */
export async function retire({ db }: Ctx, id: string, intoId: string): Promise<void> {
  const { knex } = db;
  await knex(TABLE)
    .where({ id })
    .update({
      password_hash: null,
      marketing_token: null,
      session_generation: knex.raw('session_generation + 1'),
      order_count: 0,
      spent_cents: 0,
    });
  await knex(TABLE).where({ merged_into_id: id }).update({ merged_into_id: intoId });
}

export async function moveNotes({ db }: Ctx, fromId: string, toId: string): Promise<void> {
  await db.knex(customerNoteRecord.table).where({ customer_id: fromId }).update({ customer_id: toId });
}

const account = statement<{ email_norm: string }, object>((q, p) =>
  q(TABLE)
    .where('email_norm', p('email_norm'))
    .whereRaw('is_guest = FALSE')
    .whereNot('status', 'anonymised')
    .select('*'),
);
/** The account with an address, in whatever state. @param emailNorm as addresses are compared */
export async function findAccount({ db }: Ctx, emailNorm: string): Promise<Customer | null> {
  const row = await account.first(db, { email_norm: emailNorm });
  return row ? shopCustomerRecord.read(row) : null;
}
