import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as claims from '../claims/repository.ts';
import type { Standing } from '../events/repository.ts';
import { ignored, type Outcome, PARTLY_UNMAPPED } from '../outcome.ts';
import type { ProcessorEvent } from '../processors/event.ts';
import { type Plan, type PlannedLicense, planPurchase } from './plan.ts';
import type { Work } from './work.ts';

/**
 * Makes the licenses of a purchase and the claims that name it (D106, D110 to D113), in the transaction that holds the
 * event. An event that makes nothing claims nothing.
 */
export async function sell(
  ctx: Ctx,
  work: Work,
  { status, unmapped }: Standing,
): Promise<Outcome & { unmapped: readonly string[] }> {
  const { event, config, receivedAt } = work;
  const only = status === 'PROCESSED' ? unmapped : null;
  const plan = planPurchase({ event, mappings: config.mappings, receivedAt, only });
  // What another event of the purchase has told already need not be told by this one (D106).
  if (await isSoldByAnother(ctx, work)) return twin();
  if ('status' in plan) return { ...plan, unmapped: status === 'PROCESSED' ? unmapped : [] };
  if (plan.licenses.length === 0) return done(0, plan.unmapped);
  const earlier = await claimAll(ctx, work);
  if (earlier === null) return twin();
  const made = await makeAll(ctx, work, plan);
  if (made.length === 0) return twin();
  await claims.writeClaim(ctx, config.id, claimKeyOf(event), [...earlier, ...made]);
  const names = { paymentId: event.paymentId, orderId: event.namedOrderId };
  await claims.settleOthers(ctx, { id: work.id, configId: config.id, ...names });
  return done(made.length, plan.unmapped);
}

const twin = () => ({ ...ignored('DUPLICATE_PAYMENT'), unmapped: [] });

/** The claim that names the licenses, so that every license made here is named by exactly one (8.8). */
const claimKeyOf = ({ id, paymentId }: ProcessorEvent): string =>
  paymentId === null ? idKeyOf(id) : `payment:${paymentId}`;

/** By the id at the processor, not by the row of the inbox: several events may come under one id. */
const idKeyOf = (id: string): string => `event:${id}`;

/** The id before the payment, whose events wait for each other before either is claimed: the last names the licenses. */
const claimKeysOf = (event: ProcessorEvent): Set<string> => new Set([idKeyOf(event.id), claimKeyOf(event)]);

async function isSoldByAnother(ctx: Ctx, { id, config, event }: Work): Promise<boolean> {
  for (const key of claimKeysOf(event))
    if (await claims.isClaimedByAnother(ctx, config.id, key, id)) return true;
  return false;
}

/** @returns the licenses that the event made before, and null when a rival had the claim first */
async function claimAll(ctx: Ctx, { id, config, event }: Work): Promise<claims.ClaimedLicense[] | null> {
  let earlier: claims.ClaimedLicense[] | null = [];
  for (const key of claimKeysOf(event)) {
    earlier = await claims.claim(ctx, config.id, key, id);
    if (earlier === null) return null;
  }
  return earlier;
}

/** The licenses that came into being: what an event of the same id made before belongs to the claim of that one. */
async function makeAll(ctx: Ctx, work: Work, plan: Plan): Promise<claims.ClaimedLicense[]> {
  const made: claims.ClaimedLicense[] = [];
  for (const planned of plan.licenses) {
    const { license, idempotent } = await makeOne(ctx, work, planned);
    if (!idempotent) made.push({ licenseId: license.id, externalProductId: planned.externalProductId });
  }
  return made;
}

const makeOne = (ctx: Ctx, { config, event }: Work, { input, place }: PlannedLicense) =>
  licenses.create(ctx, input, {
    source: 'INBOUND_WEBHOOK',
    idempotency: { namespace: 'inbound', key: `${config.id}:${event.id}:${place}` },
  });

const done = (licensesCreated: number, unmapped: readonly string[]) => ({
  status: 'PROCESSED' as const,
  reason: unmapped.length > 0 ? (PARTLY_UNMAPPED as typeof PARTLY_UNMAPPED) : null,
  message: unmapped.length > 0 ? `no mapping exists for ${unmapped.slice(0, 5).join(', ')}` : null,
  licensesCreated,
  unmapped,
});
