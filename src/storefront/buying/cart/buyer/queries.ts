import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import type { BuyersList, PriceTier } from '#storefront/contract/unit-price.ts';
import type { Buyer } from '#storefront/people/groups/index.ts';

/** The price lists of a buyer with what they say of a variant. */
export type ListsOf = (variantId: string) => readonly BuyersList[];

const NO_LISTS: ListsOf = () => [];

interface ListRow {
  readonly id: string;
  readonly kind: 'fixed' | 'percent';
  readonly adjust_bps: number;
  readonly currency: string;
  readonly active: unknown;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
}

interface TierRow {
  readonly price_list_id: string;
  readonly variant_id: string;
  readonly min_quantity: number;
  readonly unit_cents: number | string;
}

/** Ids of the price lists that the groups of a customer have. */
const idsOf = (q: Knex, customer: string): Knex.QueryBuilder =>
  q({ g: 'customer_groups' })
    .join({ m: 'customer_group_members' }, 'm.group_id', 'g.id')
    .where('m.customer_id', customer)
    .whereNotNull('g.price_list_id')
    .select('g.price_list_id');

const lists = statement<{ customer: string }, ListRow>((q, p) =>
  q({ l: 'price_lists' })
    .whereIn('l.id', idsOf(q, p('customer')))
    .select('l.id', 'l.kind', 'l.adjust_bps', 'l.currency', 'l.active', 'l.starts_at', 'l.ends_at'),
);

const ofCart = statement<{ cart: string; customer: string }, TierRow>((q, p) =>
  q({ r: 'price_list_prices' })
    .whereIn('r.variant_id', q('cart_items').where('cart_id', p('cart')).select('variant_id'))
    .whereIn('r.price_list_id', idsOf(q, p('customer')))
    .select('r.price_list_id', 'r.variant_id', 'r.min_quantity', 'r.unit_cents'),
);

const ofVariant = statement<{ variant: string; customer: string }, TierRow>((q, p) =>
  q({ r: 'price_list_prices' })
    .where('r.variant_id', p('variant'))
    .whereIn('r.price_list_id', idsOf(q, p('customer')))
    .select('r.price_list_id', 'r.variant_id', 'r.min_quantity', 'r.unit_cents'),
);

function listsFrom(own: readonly ListRow[], tiers: readonly TierRow[]): ListsOf {
  const tiersOf = (list: string, variant: string): PriceTier[] =>
    tiers
      .filter((row) => row.price_list_id === list && row.variant_id === variant)
      .map((row) => ({ minQuantity: Number(row.min_quantity), unitCents: Number(row.unit_cents) }));
  return (variantId) =>
    own.map((row) => ({
      kind: row.kind,
      adjustBps: Number(row.adjust_bps),
      currency: row.currency,
      active: readFlag(row.active),
      startsAt: row.starts_at,
      endsAt: row.ends_at,
      tiers: tiersOf(row.id, variantId),
    }));
}

/** Whether the buyer has prices of their own at all: few do. */
const hasLists = (buyer: Buyer | null): buyer is Buyer => buyer !== null && buyer.priceListIds.length > 0;

/** What the price lists of a buyer say of what is in a cart. */
export async function listsInCart({ db }: Ctx, buyer: Buyer | null, cart: string): Promise<ListsOf> {
  if (!hasLists(buyer)) return NO_LISTS;
  const customer = buyer.customerId;
  return listsFrom(await lists.all(db, { customer }), await ofCart.all(db, { cart, customer }));
}

/** What they say of one variant. */
export async function listsOfVariant({ db }: Ctx, buyer: Buyer | null, variant: string): Promise<ListsOf> {
  if (!hasLists(buyer)) return NO_LISTS;
  const customer = buyer.customerId;
  return listsFrom(await lists.all(db, { customer }), await ofVariant.all(db, { variant, customer }));
}
