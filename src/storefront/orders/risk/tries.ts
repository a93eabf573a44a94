import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { AppError } from '#kernel/errors.ts';
import { limitAddress } from '#kernel/http/client-address.ts';
import { storeLimitsEnabled } from '#storefront/contract/limits.ts';
import {
  paymentTriesCard,
  paymentTriesEmail,
  paymentTriesIp,
  paymentTriesMinutes,
} from '#storefront/contract/selling-settings.ts';
import { emailNormed } from '#storefront/people/customers/index.ts';
import type { TriedBy } from './record.ts';
import { type Counted, count, countRefused, type Tally } from './repository.ts';

/** A declined try costs so many points beside the one of the try: whoever tries out cards is declined. */
const DECLINE_POINTS = 5;
const UNBOUNDED = 2_000_000_000;
const NONE: Tally = { points: 0, declines: 0 };

/** Who tries to pay. */
export interface Trier {
  readonly email: string;
  readonly ip: string | null;
}

/** Too many tries: nothing was charged, and the answer does not say what was counted. */
class TooManyTries extends AppError {
  readonly key: string;

  constructor(key: string, windowSeconds: number) {
    super(
      'RATE_LIMITED',
      429,
      'Too many payment attempts. Try again later, choose another payment method, or contact the shop',
      { details: { reason: 'TOO_MANY_ATTEMPTS', retryAfterSeconds: windowSeconds } },
    );
    this.key = key;
  }
}

const windowOf = ({ settings }: Ctx): number => settings.get(paymentTriesMinutes) * 60;

const rowOf = (ctx: Ctx, kind: TriedBy, value: string): Counted => ({
  key: sha256Hex(`${kind}\n${value}`),
  kind,
  windowSeconds: windowOf(ctx),
});

/** The rows of somebody, always in this order: who locks several locks them so. */
const rowsOf = (ctx: Ctx, { email, ip }: Trier) => [
  { row: rowOf(ctx, 'email', emailNormed(email)), limit: paymentTriesEmail },
  ...(ip === null ? [] : [{ row: rowOf(ctx, 'ip', limitAddress(ip)), limit: paymentTriesIp }]),
];

/**
 * Counts a try to pay, in the transaction that begins it and as its last statements.
 *
 * @returns what was counted of both together
 * @throws AppError RATE_LIMITED, reason TOO_MANY_ATTEMPTS
 */
export async function takeTry(ctx: Ctx, trier: Trier): Promise<Tally> {
  const isLimited = ctx.settings.get(storeLimitsEnabled);
  let sum = NONE;
  for (const { row, limit } of rowsOf(ctx, trier)) {
    const most = ctx.settings.get(limit);
    const tally = await count(ctx, row, { points: 1, declines: 0 }, isLimited && most > 0 ? most : UNBOUNDED);
    if (!tally) throw new TooManyTries(row.key, row.windowSeconds);
    sum = { points: sum.points + tally.points, declines: Math.max(sum.declines, tally.declines) };
  }
  return sum;
}

/**
 * Runs the transaction that begins a payment. A try that it refuses is counted after it was rolled back, so that staff
 * see an attack.
 */
export async function countingRefusals<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooManyTries) await ctx.tx((ctx) => countRefused(ctx, error.key));
    throw error;
  }
}

/**
 * Counts that a try was declined: of the card where it is known, and of who tried. The row of a card comes before all
 * others that a transaction takes, those of addresses after them.
 */
export async function countDecline(ctx: Ctx, trier: Trier, fingerprint: string | null): Promise<void> {
  // No try of a card was counted when it began: nobody knew which it was.
  const ofCard: Tally = { points: DECLINE_POINTS + 1, declines: 1 };
  if (fingerprint !== null) await count(ctx, rowOf(ctx, 'card', fingerprint), ofCard, UNBOUNDED);
  const declined: Tally = { points: DECLINE_POINTS, declines: 1 };
  for (const { row } of rowsOf(ctx, trier)) await count(ctx, row, declined, UNBOUNDED);
}

/** Counts that a card paid. @returns whether it was tried more often than a card may be */
export async function countCard(ctx: Ctx, fingerprint: string): Promise<boolean> {
  const most = ctx.settings.get(paymentTriesCard);
  const row = rowOf(ctx, 'card', fingerprint);
  const tally = await count(ctx, row, { points: 1, declines: 0 }, UNBOUNDED);
  return most > 0 && (tally?.points ?? 0) > most;
}
