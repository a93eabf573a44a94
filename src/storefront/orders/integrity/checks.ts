import { type Check, type Finding, fail, ok, onSchema } from '#kernel/check.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { giftCardSums } from '#storefront/pricing/gift-cards/index.ts';
import * as queries from './queries.ts';

const SHOWN = 5;
const HINT = 'restore a backup, and report this bug';
/** The job that ends orders runs each minute, and waits for payments that are open. */
const LATE_SECONDS = 86_400;

const named = (ids: readonly string[]): string =>
  ids.length <= SHOWN ? ids.join(', ') : `${ids.slice(0, SHOWN).join(', ')} and more`;

const about = (what: string, ids: readonly string[]): string[] =>
  ids.length === 0 ? [] : [`${what} ${named(ids)}`];

const found = (problems: readonly string[], good: string): Finding =>
  problems.length === 0 ? ok(good) : fail(problems.join('; '), HINT);

async function money(ctx: Ctx): Promise<Finding> {
  const problems = [
    ...about('the total is not the sum of the lines of', await queries.listWrongTotals(ctx)),
    ...about('the discounts are not the sum of their parts in', await queries.listWrongDiscounts(ctx)),
    ...about('the paid amounts are not the sum of the payments of', await queries.listWrongMoney(ctx)),
    ...about('the refunded amount is not the sum of the refunds of', await queries.listWrongRefunds(ctx)),
  ];
  return found(problems, 'totals, payments and refunds of all orders add up');
}

async function stock(ctx: Ctx): Promise<Finding> {
  const wrong = await queries.listWrongStock(ctx);
  return found(
    about('the stock is not the sum of its movements and holds for', wrong),
    'stock matches its movements and reservations',
  );
}

async function holds(ctx: Ctx): Promise<Finding> {
  const cards = (await giftCardSums(ctx)).map(({ id }) => id);
  const idle = await queries.listIdleHolds(ctx, addSeconds(ctx.now(), -LATE_SECONDS));
  const problems = [
    ...about('the balance is not the sum of the ledger and the holds of', cards),
    ...about('the uses are not those of orders for', await queries.listWrongUses(ctx)),
    ...about('goods, promotions or gift cards are held by orders that have ended:', idle),
  ];
  return found(problems, 'gift cards, promotions and orders are consistent');
}

/** The invariants of storefront-domain 10 whose subject exists. */
export const shopChecks: readonly Check[] = [
  { id: 'store.money', title: 'orders add up', isLong: 'daily', run: onSchema(money) },
  { id: 'store.stock', title: 'stock adds up', isLong: 'daily', run: onSchema(stock) },
  { id: 'store.holds', title: 'what orders hold', isLong: 'daily', run: onSchema(holds) },
];
