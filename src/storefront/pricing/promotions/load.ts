import type { Ctx } from '#kernel/context.ts';
import { normed } from '#storefront/catalog/products/index.ts';
import { timezone } from '#storefront/contract/settings.ts';
import type { Promotion as Priced } from '../engine/index.ts';
import { type EnteredCode, type Moment, pricedOf, type Shopper } from './bar.ts';
import { enteredBy, listCodeless, promotionsById, usesBy } from './queries.ts';
import type { Promotion } from './record.ts';
import { redemptionsOf } from './repository.ts';

/** What promotions are asked for. */
export interface Asked {
  /** As they were entered. */
  readonly codes: readonly string[];
  readonly shopper: Shopper;
  readonly country: string | null;
  readonly shippingMethodId: string | null;
  /** ISO time. */
  readonly at: string;
  /** An order of the same cart that was not placed: what it has taken is there for this cart. */
  readonly orderId?: string | null;
  /** Drafts count as active: to try them. */
  readonly withDrafts?: boolean;
}

/** Promotions that a cart meets, and how they look to the price engine. */
export interface Met {
  readonly rows: readonly Promotion[];
  readonly priced: readonly Priced[];
  /** Entered codes, normalised. */
  readonly codes: readonly string[];
  /** Ids of the generated codes among them, by what was entered. */
  readonly codeIds: ReadonlyMap<string, string>;
  /** Those that nothing has. */
  readonly unknown: readonly string[];
}

/** Every promotion that needs no code, and those that the entered codes open: four questions. */
export async function promotionsFor(ctx: Ctx, asked: Asked): Promise<Met> {
  const codes = [...new Set(asked.codes.map(normed))];
  const own = asked.orderId ? await takenBy(ctx, asked.orderId) : NOTHING_TAKEN;
  const entering = await enteredBy(ctx, codes);
  const coded = entering.promotions.map(own.without);
  const codeRows = entering.codes.map(own.without);
  const codeless = (await listCodeless(ctx, asked.withDrafts === true)).map(own.without);
  const entered = new Map<string, EnteredCode[]>();
  const note = (id: string, one: EnteredCode) => void entered.set(id, [...(entered.get(id) ?? []), one]);
  for (const { id, code } of coded)
    if (code !== null && codes.includes(normed(code))) note(id, { codeNorm: normed(code), row: null });
  for (const row of codeRows) note(row.promotionId, { codeNorm: normed(row.code), row });
  const rows = [...codeless, ...coded];
  const limited = rows.filter((one) => one.usageLimitPerCustomer !== null).map(({ id }) => id);
  const uses = await usesBy(ctx, limited, asked.shopper);
  const moment: Moment = {
    now: asked.at,
    zone: ctx.settings.get(timezone),
    country: asked.country,
    shippingMethodId: asked.shippingMethodId,
  };
  const known = [...entered.values()].flatMap((some) => some.map(({ codeNorm }) => codeNorm));
  return {
    rows,
    priced: rows.map((row) =>
      pricedOf(asked.withDrafts ? tried(row) : row, asked.shopper, moment, {
        entered: entered.get(row.id) ?? null,
        usesOfCustomer: (uses.get(row.id) ?? 0) - own.count(row.id),
      }),
    ),
    codes,
    codeIds: new Map(codeRows.map(({ id, code }) => [normed(code), id])),
    unknown: codes.filter((code) => !known.includes(code)),
  };
}

/** A promotion that an order has, with the code that opened it. */
export interface Kept {
  readonly promotionId: string;
  readonly code: string | null;
}

/** Promotions that an order has: they hold for it, whatever has become of them since. */
export async function promotionsOf(ctx: Ctx, kept: readonly Kept[]): Promise<Met> {
  const codes = new Map(
    kept.flatMap(({ promotionId, code }) => (code === null ? [] : [[promotionId, normed(code)]])),
  );
  const rows = await promotionsById(ctx, [...new Set(kept.map(({ promotionId }) => promotionId))]);
  const entering = await enteredBy(ctx, [...codes.values()]);
  const nobody: Shopper = { customerId: null, emailNorm: null, isFirstOrder: true, groupIds: [] };
  const moment: Moment = {
    now: ctx.now(),
    zone: ctx.settings.get(timezone),
    country: null,
    shippingMethodId: null,
  };
  return {
    rows,
    priced: rows.map((row) => {
      const code = codes.get(row.id);
      const entered = code === undefined ? null : [{ codeNorm: code, row: null }];
      return { ...pricedOf(row, nobody, moment, { entered, usesOfCustomer: 0 }), bar: null };
    }),
    codes: [...codes.values()],
    codeIds: new Map(entering.codes.map(({ id, code }) => [normed(code), id])),
    unknown: [],
  };
}

const tried = (row: Promotion): Promotion => (row.status === 'draft' ? { ...row, status: 'active' } : row);

/** What an order has taken of promotions and codes, to be left out of their counts. */
interface Taken {
  count(id: string): number;
  without<T extends { readonly id: string; readonly usedCount: number }>(row: T): T;
}

const takenOf = (ids: ReadonlySet<string>): Taken => ({
  count: (id) => Number(ids.has(id)),
  without: (row) => (ids.has(row.id) ? { ...row, usedCount: row.usedCount - 1 } : row),
});

const NOTHING_TAKEN = takenOf(new Set());

async function takenBy(ctx: Ctx, orderId: string): Promise<Taken> {
  const held = (await redemptionsOf(ctx, orderId)).filter(({ status }) => status === 'held');
  return takenOf(
    new Set(held.flatMap(({ promotionId, codeId }) => [promotionId, ...(codeId ? [codeId] : [])])),
  );
}
