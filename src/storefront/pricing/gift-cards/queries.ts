import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import {
  ENTRY_TYPES,
  type GiftCard,
  type GiftCardEntry,
  giftCardEntryRecord,
  giftCardHoldRecord,
  giftCardRecord,
  STATUSES,
} from './record.ts';

/** Cards of one run of a job. */
const AT_ONCE = 500;

export const giftCardRows = selection<GiftCard>({
  from: ({ db }) => db.knex(giftCardRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: giftCardRecord.read,
  filters: {
    status: filter.choice(STATUSES, { label: 'Status', column: 'status' }),
    customerId: filter.text({
      label: 'Customer',
      column: (query, id) =>
        void query.where((any) =>
          any.where({ owner_customer_id: id }).orWhere({ purchaser_customer_id: id }),
        ),
    }),
  },
  search: { placeholder: 'Last 4 characters or email', by: ['last4', 'recipient_email', 'recipient_name'] },
  sorts: { created: 'created_at', balance: 'balance_cents', expires: 'expires_at', last4: 'last4' },
  initial: '-created',
});

/** Orders belong to a wing above: their tables go by name here. */
const ORDERS = 'orders';
const ORDER_ITEMS = 'order_items';

/** An entry with the currency of its card and the number of its order. */
export type EntryOf = GiftCardEntry & Pick<GiftCard, 'currency'> & { readonly orderNumber: string | null };

export const entryRows = selection<EntryOf, { currency: string; order_number: string | null }>({
  from: ({ db }) =>
    db
      .knex({ e: giftCardEntryRecord.table })
      .join({ c: giftCardRecord.table }, 'c.id', 'e.gift_card_id')
      .leftJoin({ o: ORDERS }, 'o.id', 'e.order_id'),
  id: 'e.id',
  scope: 'none',
  columns: ['e.*', 'c.currency', 'o.order_number'],
  read: (row) => ({
    ...giftCardEntryRecord.read(row),
    currency: row.currency,
    orderNumber: row.order_number,
  }),
  filters: {
    giftCardId: filter.lookup({
      label: 'Gift card',
      column: 'e.gift_card_id',
      resource: 'shop-gift-cards',
    }),
    type: filter.choice(ENTRY_TYPES, { label: 'Type', column: 'e.type' }),
  },
  search: { placeholder: 'Order', by: ['o.order_number', 'e.order_id'] },
  sorts: { created: 'e.created_at' },
  initial: '-created',
});

/** Active cards whose time is over and of which no order holds anything, the oldest first. */
export async function listOver(ctx: Ctx): Promise<string[]> {
  const rows: { id: string }[] = await ctx.db
    .knex(giftCardRecord.table)
    .where({ status: 'active', held_cents: 0 })
    .where('expires_at', '<=', ctx.now())
    .orderBy(['expires_at', 'id'])
    .limit(AT_ONCE)
    .select('id');
  return rows.map(({ id }) => id);
}

/** Pending cards whose time has come, the oldest first. */
export async function listDue(ctx: Ctx): Promise<string[]> {
  const now = ctx.now();
  const rows: { id: string }[] = await ctx.db
    .knex(giftCardRecord.table)
    .where({ status: 'pending' })
    .where((any) => any.whereNull('send_at').orWhere('send_at', '<=', now))
    .orderBy(['created_at', 'id'])
    .limit(AT_ONCE)
    .select('id');
  return rows.map(({ id }) => id);
}

/** Cards that some order items were bought with. */
export async function listOfItems({ db }: Ctx, orderItemIds: readonly string[]): Promise<GiftCard[]> {
  const rows: object[] = await db
    .knex(giftCardRecord.table)
    .whereIn('order_item_id', [...orderItemIds])
    .orderBy('id');
  return rows.map(giftCardRecord.read);
}

/** Cards that were taken back for a refund, by their ids. */
export async function listWithdrawnFor({ db }: Ctx, refundId: string): Promise<string[]> {
  const rows: { gift_card_id: string }[] = await db
    .knex(giftCardEntryRecord.table)
    .where({ refund_id: refundId, type: 'reverse' })
    .where('delta_cents', '<', 0)
    .orderBy('id')
    .select('gift_card_id');
  return rows.map(({ gift_card_id: id }) => id);
}

/** The numbers of the orders that some order items are of, by the ids of the items. */
export async function orderNumbersOf(
  { db }: Ctx,
  orderItemIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (orderItemIds.length === 0) return new Map();
  const rows: { id: string; order_number: string }[] = await db
    .knex({ i: ORDER_ITEMS })
    .join({ o: ORDERS }, 'o.id', 'i.order_id')
    .whereIn('i.id', [...orderItemIds])
    .whereNotNull('o.order_number')
    .select('i.id', 'o.order_number');
  return new Map(rows.map((row) => [row.id, row.order_number]));
}

/** What an order has paid with a card and not got back. */
export async function spentBy({ db }: Ctx, giftCardId: string, orderId: string): Promise<number> {
  const row: { cents?: number | string | null } | undefined = await db
    .knex(giftCardEntryRecord.table)
    .where({ gift_card_id: giftCardId, order_id: orderId })
    .whereIn('type', ['redeem', 'refund', 'reverse'])
    .sum({ cents: 'delta_cents' })
    .first();
  // A sum of nothing is null, and 0 has no sign.
  return 0 - Number(row?.cents ?? 0);
}

/** What orders hold of each of some cards. */
export async function heldOf({ db }: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows: { gift_card_id: string; cents: number | string }[] = await db
    .knex(giftCardHoldRecord.table)
    .whereIn('gift_card_id', [...ids])
    .where({ status: 'held' })
    .groupBy('gift_card_id')
    .select('gift_card_id')
    .sum({ cents: 'amount_cents' });
  const sums = new Map(rows.map((row) => [row.gift_card_id, Number(row.cents)]));
  return new Map(ids.map((id) => [id, sums.get(id) ?? 0]));
}

/** A card whose sums are not those of its rows. */
export interface WrongSums {
  readonly id: string;
  readonly balanceCents: number;
  readonly ledgerCents: number;
  readonly heldCents: number;
  readonly holdsCents: number;
}

/**
 * Cards whose balance is not the sum of their ledger, or of which less or more is held than orders hold
 * (storefront-domain 10). It reads every card.
 */
export async function giftCardSums({ db }: Ctx): Promise<WrongSums[]> {
  const { knex } = db;
  const ledger = knex(giftCardEntryRecord.table)
    .groupBy('gift_card_id')
    .select('gift_card_id')
    .sum({ cents: 'delta_cents' })
    .as('l');
  const holds = knex(giftCardHoldRecord.table)
    .where({ status: 'held' })
    .groupBy('gift_card_id')
    .select('gift_card_id')
    .sum({ cents: 'amount_cents' })
    .as('h');
  const rows: { id: string; balance: number; held: number; ledger: unknown; holds: unknown }[] = await knex({
    c: giftCardRecord.table,
  })
    .leftJoin(ledger, 'l.gift_card_id', 'c.id')
    .leftJoin(holds, 'h.gift_card_id', 'c.id')
    .where((any) => {
      any
        .whereRaw('c.balance_cents <> COALESCE(l.cents, 0)')
        .orWhereRaw('c.held_cents <> COALESCE(h.cents, 0)');
    })
    .orderBy('c.id')
    .select({
      id: 'c.id',
      balance: 'c.balance_cents',
      held: 'c.held_cents',
      ledger: 'l.cents',
      holds: 'h.cents',
    });
  return rows.map(({ id, balance, held, ...sums }) => ({
    id,
    balanceCents: balance,
    ledgerCents: Number(sums.ledger ?? 0),
    heldCents: held,
    holdsCents: Number(sums.holds ?? 0),
  }));
}

const ofCustomer = ({ db }: Ctx, customerId: string) =>
  db
    .knex(giftCardRecord.table)
    .where((any) =>
      any.where({ owner_customer_id: customerId }).orWhere({ purchaser_customer_id: customerId }),
    );

/** Cards that a customer owns or has bought, the newest first. */
export async function listOwned(
  ctx: Ctx,
  customerId: string,
  limit: number,
  offset: number,
): Promise<GiftCard[]> {
  const rows: object[] = await ofCustomer(ctx, customerId)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit)
    .offset(offset);
  return rows.map(giftCardRecord.read);
}

export async function countOwned(ctx: Ctx, customerId: string): Promise<number> {
  const [row]: { n: number | string }[] = await ofCustomer(ctx, customerId).count({ n: '*' });
  return Number(row?.n ?? 0);
}
