import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import {
  type GiftCard,
  type GiftCardEntry,
  type GiftCardHold,
  giftCardEntryRecord,
  giftCardHoldRecord,
  giftCardRecord,
} from './record.ts';

const CARDS = giftCardRecord.table;
const HOLDS = giftCardHoldRecord.table;

/** What of a card no object has. */
export interface Code {
  readonly codeHash: string;
  /** null: it has reached somebody. */
  readonly codeSealed: string | null;
}

export async function insertCard({ db }: Ctx, card: GiftCard, code: Code): Promise<void> {
  await db.knex(CARDS).insert(giftCardRecord.write(card, code));
}

const lockedCard = statement<{ id: string }, object>((q, p) =>
  q(CARDS).where('id', p('id')).forUpdate().select('*'),
);

/** The card, locked until the end of the transaction; null when unknown. */
export async function lockCard({ db }: Ctx, id: string): Promise<GiftCard | null> {
  const row = await lockedCard.first(db, { id });
  return row === undefined ? null : giftCardRecord.read(row);
}

const storedCard = statement<Record<string, unknown>>((q, p) =>
  q(CARDS)
    .where('id', p('id'))
    .update(p.row(...giftCardRecord.written.filter((name) => name !== 'id' && name !== 'created_at'))),
);

/** Stores a card that the transaction has locked; its code stays. */
export const updateCard = ({ db }: Ctx, card: GiftCard): Promise<number> =>
  storedCard.run(db, giftCardRecord.write(card));

const byHash = statement<{ hash: string }, object>((q, p) =>
  q(CARDS).where('code_hash', p('hash')).select('*'),
);

export async function findByHash({ db }: Ctx, hash: string): Promise<GiftCard | null> {
  const row = await byHash.first(db, { hash });
  return row === undefined ? null : giftCardRecord.read(row);
}

/** Gives a card another code, or another copy of it. */
export async function setCode({ db }: Ctx, id: string, code: Code): Promise<void> {
  await db.knex(CARDS).where({ id }).update(giftCardRecord.part(code));
}

/** The code that is still to be sent, as it is sealed; null when it has reached somebody. */
export async function sealedCode({ db }: Ctx, id: string): Promise<string | null> {
  const row: { code_sealed: string | null } | undefined = await db
    .knex(CARDS)
    .where({ id })
    .first('code_sealed');
  return row?.code_sealed ?? null;
}

const held = statement<{ id: string; amount: number; now: string }, object>((q, p) =>
  q(CARDS)
    .where('id', p('id'))
    .where('status', 'active')
    .whereRaw('balance_cents - held_cents >= ?', [p('amount')])
    .whereRaw('(expires_at IS NULL OR expires_at > ?)', [p('now')])
    .update({ held_cents: q.raw('held_cents + ?', [p('amount')]), updated_at: p('now') })
    .returning('*'),
);

/** Holds an amount of a card by one conditional UPDATE; null when so much is not free (storefront-domain 8.4). */
export async function takeCents(ctx: Ctx, id: string, amount: number): Promise<GiftCard | null> {
  const row = await held.first(ctx.db, { id, amount, now: ctx.now() });
  return row === undefined ? null : giftCardRecord.read(row);
}

const addedEntry = statement<Record<string, unknown>>((q, p) =>
  q(giftCardEntryRecord.table).insert(p.row(...giftCardEntryRecord.written)),
);

export const insertEntry = ({ db }: Ctx, entry: GiftCardEntry): Promise<number> =>
  addedEntry.run(db, giftCardEntryRecord.write(entry));

const heldBy = statement<{ card: string; order: string }, object>((q, p) =>
  q(HOLDS).where('gift_card_id', p('card')).where('order_id', p('order')).select('*'),
);

/** What an order has taken of a card, of which the transaction has the lock; null when nothing. */
export async function findHold({ db }: Ctx, card: string, order: string): Promise<GiftCardHold | null> {
  const row = await heldBy.first(db, { card, order });
  return row === undefined ? null : giftCardHoldRecord.read(row);
}

export async function insertHold({ db }: Ctx, hold: GiftCardHold): Promise<void> {
  await db.knex(HOLDS).insert(giftCardHoldRecord.write(hold));
}

export async function updateHold({ db }: Ctx, hold: GiftCardHold): Promise<void> {
  await db.knex(HOLDS).where({ id: hold.id }).update(giftCardHoldRecord.write(hold));
}

/** Gives what one customer bought or owns to another one. */
export async function moveCards({ db }: Ctx, fromId: string, toId: string): Promise<void> {
  for (const column of ['purchaser_customer_id', 'owner_customer_id'])
    await db
      .knex(CARDS)
      .where({ [column]: fromId })
      .update({ [column]: toId });
}
