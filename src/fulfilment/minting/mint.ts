import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { isBusy, isSerializationFailure, isUnavailable } from '#kernel/db/dialect.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { tellStaff } from '#platform/staff-mail/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { defaultSeats, getGrant } from '../grants/index.ts';
import { ids } from '../ids.ts';
import { REASONS } from './choose.ts';
import type { LicensedItem } from './queries.ts';
import { type LicenseMint, MOST_ERROR } from './record.ts';
import * as repo from './repository.ts';

/** When a license that could not be made is tried again: soon, then every hour (fulfilment section 5). */
const RETRY_SECONDS = [300, 1800] as const;
const HOURLY = 3600;

/** Somebody whose order is to have licenses. */
export interface Buyer {
  readonly order: orders.Order;
  readonly name: string | undefined;
}

/** Whether an error belongs to the database, so that the whole transaction has to be repeated. */
export const isOfTheDatabase = (error: unknown): boolean =>
  isBusy(error) || isSerializationFailure(error) || isUnavailable(error);

/** Seats of all units of a line in one license; machines of one unit otherwise. @param units those that are left */
export async function activationsOf(ctx: Ctx, { license }: LicensedItem, units: number): Promise<number> {
  const each = license.maxActivations ?? (await defaultSeats(ctx, license.licenseProductId));
  return license.quantityMode === 'seats' ? each * units : each;
}

/** How many units of what a line sells the seats of a license are. */
export async function unitsHeld(ctx: Ctx, item: LicensedItem, licenseId: string): Promise<number> {
  const [card] = await licenses.cardsOf(ctx, { ids: [licenseId] });
  return card ? Math.max(1, Math.round(card.maxActivations / (await activationsOf(ctx, item, 1)))) : 1;
}

/** Rows of a line: one for each unit, or one for all seats. */
export const rowsWanted = ({ license }: LicensedItem, units: number): number =>
  license.quantityMode === 'seats' ? Math.min(1, units) : units;

/** The row of a unit that has no license yet. */
export function newMint(ctx: Ctx, item: LicensedItem, unitNo: number): LicenseMint {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.licenseMint),
    orderId: item.orderId,
    orderItemId: item.id,
    unitNo,
    licenseId: null,
    renews: item.renews,
    renewedDays: null,
    status: 'pending',
    wanted: 'minted',
    reason: null,
    holdRef: null,
    idempotencyKey: `storefront:${item.id}:${unitNo}`,
    error: null,
    attempts: 0,
    nextAttemptAt: null,
    updatedAt: now,
    createdAt: now,
  };
}

/** A row after a try that failed: it is due again. */
export function failedMint(ctx: Ctx, mint: LicenseMint, error: unknown): LicenseMint {
  const wait = RETRY_SECONDS[mint.attempts] ?? HOURLY;
  return {
    ...mint,
    error: (error instanceof Error ? error.message : String(error)).slice(0, MOST_ERROR),
    attempts: mint.attempts + 1,
    nextAttemptAt: addSeconds(ctx.now(), wait),
    updatedAt: ctx.now(),
  };
}

/**
 * Makes the license of one unit, in the transaction that has its money. What cannot be made takes back only itself: the
 * row says why, and the payment stands (fulfilment section 5).
 *
 * @returns the row as it is to be stored
 * @throws what the database throws, so that the whole transaction is repeated
 */
export async function made(
  ctx: Ctx,
  item: LicensedItem,
  mint: LicenseMint,
  { buyer, units }: { readonly buyer: Buyer; readonly units: number },
): Promise<{ mint: LicenseMint; keyPrefix: string | null }> {
  try {
    if (mint.renews !== null) return { mint: await renewed(ctx, item, mint, units), keyPrefix: null };
    const { licenseId, keyPrefix } = await ctx.part(async (ctx) => {
      const input = await inputOf(ctx, item, mint, { buyer, units });
      return licenses.make(ctx, input, {
        source: 'STOREFRONT',
        idempotency: { namespace: 'store', key: mint.idempotencyKey },
      });
    });
    return {
      mint: {
        ...mint,
        licenseId,
        status: 'minted',
        error: null,
        nextAttemptAt: null,
        updatedAt: ctx.now(),
      },
      keyPrefix,
    };
  } catch (error) {
    if (isOfTheDatabase(error)) throw error;
    ctx.log.warn({ err: error, order: mint.orderId, mint: mint.id }, 'a license of an order was not made');
    return { mint: { ...failedMint(ctx, mint, error), status: 'failed' }, keyPrefix: null };
  }
}

/**
 * Makes a license last longer by what was bought, from its end or from now on. Of seats it is all of them for as long as
 * was paid for: half of the units is half of the time.
 */
async function renewed(ctx: Ctx, item: LicensedItem, mint: LicenseMint, units: number): Promise<LicenseMint> {
  const licenseId = mint.renews as string;
  const days = await ctx.part(async (ctx) => {
    const { durationDays, quantityMode } = item.license;
    if (durationDays === null) throw new Error('the license never expires, so it cannot be renewed');
    const isShared = quantityMode === 'seats';
    const held = isShared ? await unitsHeld(ctx, item, licenseId) : 1;
    const days = isShared ? Math.floor((durationDays * units) / held) : durationDays;
    if (days < 1)
      throw new Error(
        `${units} of ${held} units were paid for: their share is less than a day of the license`,
      );
    // A renewal that was paid back after it had begun let the license rest: a new one was paid for.
    const { suspendedReason } = await licenses.get(ctx, licenseId);
    if (suspendedReason === REASONS.refund) await licenses.reinstate(ctx, licenseId);
    await licenses.extend(ctx, licenseId, days);
    return days;
  });
  const done = { status: 'minted', error: null, nextAttemptAt: null, updatedAt: ctx.now() } as const;
  return { ...mint, ...done, renewedDays: days };
}

/**
 * What a license is made of: what it was sold as. When that could not be made because it is gone, what the variant is sold
 * with now: so staff can heal it.
 */
async function productOf(ctx: Ctx, { license, variantId }: LicensedItem, mint: LicenseMint): Promise<string> {
  const { licenseProductId } = license;
  if (mint.attempts === 0 || variantId === null || (await products.find(ctx, licenseProductId)))
    return licenseProductId;
  return (await getGrant(ctx, variantId))?.licenseProductId ?? licenseProductId;
}

async function inputOf(
  ctx: Ctx,
  item: LicensedItem,
  mint: LicenseMint,
  { buyer: { order, name }, units }: { readonly buyer: Buyer; readonly units: number },
): Promise<licenses.AdminCreateInput> {
  const { license } = item;
  return {
    productId: await productOf(ctx, item, mint),
    customerEmail: order.email,
    customerName: name,
    type: license.type,
    tier: license.tier,
    // Without a number of its own a machine license has its product's.
    maxActivations:
      license.quantityMode === 'seats'
        ? await activationsOf(ctx, item, units)
        : (license.maxActivations ?? undefined),
    validUntil:
      license.durationDays === null ? null : addSeconds(ctx.now(), license.durationDays * SECONDS_PER_DAY),
    orderId: order.orderNumber ?? order.id,
    metadata: { store_order_id: order.id, store_order_item_id: item.id, unit: String(mint.unitNo) },
    policyId: license.policyId ?? undefined,
    features: license.features as licenses.AdminCreateInput['features'],
    maxVersion: license.maxVersion ?? undefined,
    maxUses: license.maxUses ?? undefined,
    gracePeriodSeconds: undefined,
    notes: undefined,
    key: undefined,
    // It was sold while it was on sale.
    force: true,
  };
}

/** Tells the history of an order, and staff where something is missing, what became of a line. */
export async function noteMade(
  ctx: Ctx,
  item: LicensedItem,
  results: readonly { readonly mint: LicenseMint; readonly keyPrefix: string | null }[],
): Promise<void> {
  const good = results.filter(({ mint }) => mint.status === 'minted');
  const failed = results.filter(({ mint }) => mint.status === 'failed');
  if (good.length > 0)
    await orders.note(ctx, item.orderId, {
      type: 'license',
      data: {
        order_item_id: item.id,
        licenses: good.map(({ mint, keyPrefix }) => ({
          id: mint.licenseId ?? mint.renews,
          ...(keyPrefix === null ? { renewed_days: mint.renewedDays } : { key_prefix: keyPrefix }),
        })),
      },
      visibleToCustomer: true,
    });
  // Of tries that failed before, nobody has to be told each time.
  if (failed.every(({ mint }) => mint.attempts > 1)) return;
  await orders.note(ctx, item.orderId, {
    type: 'license',
    body: `${failed.length} of the licenses of ${item.title} could not be made: ${failed[0]?.mint.error}`,
    data: { order_item_id: item.id, missing: failed.length },
  });
  await tellStaff(ctx, 'admin_license_problem', item.orderId);
}

/** Stores a row: a new one, or one that was there. */
export const stored = (ctx: Ctx, mint: LicenseMint, isNew: boolean): Promise<number> =>
  isNew ? repo.insertMint(ctx, mint) : repo.updateMint(ctx, mint);
