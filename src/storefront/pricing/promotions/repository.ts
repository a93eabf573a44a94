import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import {
  codeRegistryRecord,
  type Promotion,
  type PromotionCode,
  promotionCodeRecord,
  promotionRecord,
  type Redemption,
  redemptionRecord,
} from './record.ts';

const PROMOTIONS = promotionRecord.table;
const CODES = promotionCodeRecord.table;
const REGISTRY = codeRegistryRecord.table;
const REDEMPTIONS = redemptionRecord.table;
/** Rows of one INSERT. */
const AT_ONCE = 100;

/** The promotion, locked until the end of the transaction; null when unknown. */
export async function lockPromotion({ db }: Ctx, id: string): Promise<Promotion | null> {
  const row: object | undefined = await db.knex(PROMOTIONS).where({ id }).forUpdate().first();
  return row ? promotionRecord.read(row) : null;
}

export async function insertPromotion({ db }: Ctx, promotion: Promotion): Promise<void> {
  await db.knex(PROMOTIONS).insert(promotionRecord.write(promotion));
}

export async function updatePromotion({ db }: Ctx, promotion: Promotion): Promise<void> {
  await db.knex(PROMOTIONS).where({ id: promotion.id }).update(promotionRecord.write(promotion));
}

/** With its codes; throws a foreign key violation once an order has taken it. */
export async function deletePromotion({ db }: Ctx, id: string): Promise<void> {
  await db.knex(PROMOTIONS).where({ id }).delete();
}

/** Whether an order has ever taken it. */
export const wasTaken = async ({ db }: Ctx, promotionId: string): Promise<boolean> =>
  (await db.knex(REDEMPTIONS).where({ promotion_id: promotionId }).first('id')) !== undefined;

/** Takes codes; throws a unique violation when one of them is taken. */
export async function registerCodes(
  { db }: Ctx,
  rows: readonly {
    codeNorm: string;
    kind: 'promotion' | 'promotion_code';
    refId: string;
    createdAt: string;
  }[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE)
    await db
      .knex(REGISTRY)
      .insert(rows.slice(from, from + AT_ONCE).map((row) => codeRegistryRecord.write(row)));
}

/** Gives the own code of a promotion back. */
export async function releaseOwnCode({ db }: Ctx, promotionId: string): Promise<void> {
  await db.knex(REGISTRY).where({ ref_id: promotionId }).delete();
}

/** Gives all codes of a promotion back, also the generated ones. */
export async function releaseCodes(ctx: Ctx, promotionId: string): Promise<void> {
  const { knex } = ctx.db;
  await releaseOwnCode(ctx, promotionId);
  const own = knex(CODES).where({ promotion_id: promotionId }).select('id');
  await knex(REGISTRY).whereIn('ref_id', own).delete();
}

/** Those of some normalised codes that are taken. */
export async function takenCodes({ db }: Ctx, norms: readonly string[]): Promise<Set<string>> {
  const taken = new Set<string>();
  for (let from = 0; from < norms.length; from += AT_ONCE) {
    const rows: { code_norm: string }[] = await db
      .knex(REGISTRY)
      .whereIn('code_norm', norms.slice(from, from + AT_ONCE))
      .select('code_norm');
    for (const { code_norm } of rows) taken.add(code_norm);
  }
  return taken;
}

export async function insertCodes({ db }: Ctx, codes: readonly PromotionCode[]): Promise<void> {
  for (let from = 0; from < codes.length; from += AT_ONCE)
    await db
      .knex(CODES)
      .insert(codes.slice(from, from + AT_ONCE).map((one) => promotionCodeRecord.write(one)));
}

export async function lockCode({ db }: Ctx, id: string): Promise<PromotionCode | null> {
  const row: object | undefined = await db.knex(CODES).where({ id }).forUpdate().first();
  return row ? promotionCodeRecord.read(row) : null;
}

export async function updateCode({ db }: Ctx, code: PromotionCode): Promise<void> {
  await db.knex(CODES).where({ id: code.id }).update(promotionCodeRecord.write(code));
}

/** Whether a promotion has a generated code that is not disabled. */
export const hasCodes = async ({ db }: Ctx, promotionId: string): Promise<boolean> =>
  (await db.knex(CODES).where({ promotion_id: promotionId, disabled_at: null }).first('id')) !== undefined;

const taken = statement<{ id: string; now: string }, object>((q, p) =>
  q(PROMOTIONS)
    .where('id', p('id'))
    .where('status', 'active')
    .whereRaw('(starts_at IS NULL OR starts_at <= ?)', [p('now')])
    .whereRaw('(ends_at IS NULL OR ends_at > ?)', [p('now')])
    .whereRaw('(usage_limit IS NULL OR used_count < usage_limit)')
    .update({
      used_count: q.raw('used_count + 1'),
      locked_at: q.raw('COALESCE(locked_at, ?)', [p('now')]),
    })
    .returning('*'),
);

/** Takes one use by one conditional UPDATE; null when it has none (storefront-domain 8.4d). */
export async function takeUse(ctx: Ctx, id: string): Promise<Promotion | null> {
  const row = await taken.first(ctx.db, { id, now: ctx.now() });
  return row === undefined ? null : promotionRecord.read(row);
}

const takenCode = statement<{ id: string; promotion: string; now: string }, object>((q, p) =>
  q(CODES)
    .where('id', p('id'))
    .where('promotion_id', p('promotion'))
    .whereNull('disabled_at')
    .whereRaw('(expires_at IS NULL OR expires_at > ?)', [p('now')])
    .whereRaw('(usage_limit IS NULL OR used_count < usage_limit)')
    .update({ used_count: q.raw('used_count + 1') })
    .returning('*'),
);

/** The same of one of its many codes. */
export async function takeCodeUse(ctx: Ctx, promotion: string, id: string): Promise<PromotionCode | null> {
  const row = await takenCode.first(ctx.db, { id, promotion, now: ctx.now() });
  return row === undefined ? null : promotionCodeRecord.read(row);
}

const given = statement<{ id: string }>((q, p) =>
  q(PROMOTIONS)
    .where('id', p('id'))
    .where('used_count', '>', 0)
    .update({ used_count: q.raw('used_count - 1') }),
);
const givenCode = statement<{ id: string }>((q, p) =>
  q(CODES)
    .where('id', p('id'))
    .where('used_count', '>', 0)
    .update({ used_count: q.raw('used_count - 1') }),
);

export const giveUse = ({ db }: Ctx, id: string): Promise<number> => given.run(db, { id });
export const giveCodeUse = ({ db }: Ctx, id: string): Promise<number> => givenCode.run(db, { id });

/** Redemptions of an order in the order of their promotions. */
export async function redemptionsOf({ db }: Ctx, orderId: string): Promise<Redemption[]> {
  const rows: object[] = await db.knex(REDEMPTIONS).where({ order_id: orderId }).orderBy('promotion_id');
  return rows.map(redemptionRecord.read);
}

export async function insertRedemption({ db }: Ctx, one: Redemption): Promise<void> {
  await db.knex(REDEMPTIONS).insert(redemptionRecord.write(one));
}

const heldAgain = statement<Record<string, unknown>>((q, p) =>
  q(REDEMPTIONS)
    .where('id', p('id'))
    .where('status', 'released')
    .update(p.row('code_id', 'customer_id', 'email_norm', 'amount_cents', 'status', 'updated_at')),
);

/** An order that gave a promotion back takes it again. @returns 0 when it holds it already */
export const holdAgain = ({ db }: Ctx, one: Redemption): Promise<number> =>
  heldAgain.run(db, redemptionRecord.write(one));

const used = statement<{ order: string; now: string }>((q, p) =>
  q(REDEMPTIONS)
    .where('order_id', p('order'))
    .where('status', 'held')
    .update({ status: 'used', updated_at: p('now') }),
);

/** @returns how many this call has settled */
export const useOfOrder = (ctx: Ctx, order: string): Promise<number> =>
  used.run(ctx.db, { order, now: ctx.now() });

const released = statement<{ order: string; now: string }, object>((q, p) =>
  q(REDEMPTIONS)
    .where('order_id', p('order'))
    .whereIn('status', ['held', 'used'])
    .update({ status: 'released', updated_at: p('now') })
    .returning('*'),
);

/** Each redemption is given back once. @returns those that this call has given back */
export const releaseOfOrder = async (ctx: Ctx, order: string): Promise<Redemption[]> =>
  (await released.all(ctx.db, { order, now: ctx.now() })).map((row) => redemptionRecord.read(row));

/** What one customer took of promotions counts for another one. */
export async function moveRedemptions({ db }: Ctx, fromId: string, toId: string): Promise<void> {
  await db.knex(REDEMPTIONS).where({ customer_id: fromId }).update({ customer_id: toId });
}
