import type { Ctx } from '#kernel/context.ts';
import * as licenses from '../../licenses/index.ts';
import * as claims from '../claims/repository.ts';
import { ignored, type Outcome, PARTLY_UNMAPPED } from '../outcome.ts';
import { type Plan, type PlannedLicense, planPurchase } from './plan.ts';
import type { Standing } from './repository.ts';
import type { Work } from './work.ts';

/**
 * Makes the licenses of a purchase and the claim that names them (D106, D110 to D113), in the transaction that holds
 * the event. An event that makes nothing claims nothing.
 */
export async function sell(
  ctx: Ctx,
  work: Work,
  { status, unmapped }: Standing,
): Promise<Outcome & { unmapped: readonly string[] }> {
  const { event, config, receivedAt } = work;
  const only = status === 'PROCESSED' ? unmapped : null;
  const plan = planPurchase({ event, mappings: config.mappings, receivedAt, only });
  const key = claimKeyOf(work);
  if ('status' in plan) {
    // What another event of the payment has told already need not be told by this one (D106).
    if (await claims.isClaimedByAnother(ctx, config.id, key, work.id)) return twin();
    return { ...plan, unmapped: status === 'PROCESSED' ? unmapped : [] };
  }
  if (plan.licenses.length === 0) return done(0, plan.unmapped);
  const earlier = await claims.claim(ctx, config.id, key, work.id);
  if (earlier === null) return twin();
  const made = await makeAll(ctx, work, plan);
  await claims.writeClaim(ctx, config.id, key, [...earlier, ...made]);
  const names = { paymentId: event.paymentId, orderId: event.namedOrderId };
  await claims.settleOthers(ctx, { id: work.id, configId: config.id, ...names });
  return done(made.length, plan.unmapped);
}

const twin = () => ({ ...ignored('DUPLICATE_PAYMENT'), unmapped: [] });

/** Without a payment the event claims itself, so that every license made here is named by exactly one claim (8.8). */
export const claimKeyOf = ({ id, event }: Pick<Work, 'id' | 'event'>): string =>
  event.paymentId === null ? `event:${id}` : `payment:${event.paymentId}`;

async function makeAll(ctx: Ctx, work: Work, plan: Plan): Promise<claims.ClaimedLicense[]> {
  const made: claims.ClaimedLicense[] = [];
  for (const planned of plan.licenses) made.push(await makeOne(ctx, work, planned));
  return made;
}

async function makeOne(
  ctx: Ctx,
  { config, event }: Work,
  { input, place, externalProductId }: PlannedLicense,
): Promise<claims.ClaimedLicense> {
  const { license } = await licenses.create(ctx, input, {
    source: 'INBOUND_WEBHOOK',
    idempotency: { namespace: 'inbound', key: `${config.id}:${event.id}:${place}` },
  });
  return { licenseId: license.id, externalProductId };
}

const done = (licensesCreated: number, unmapped: readonly string[]) => ({
  status: 'PROCESSED' as const,
  reason: unmapped.length > 0 ? (PARTLY_UNMAPPED as typeof PARTLY_UNMAPPED) : null,
  message: unmapped.length > 0 ? `no mapping names ${unmapped.slice(0, 5).join(', ')}` : null,
  licensesCreated,
  unmapped,
});
