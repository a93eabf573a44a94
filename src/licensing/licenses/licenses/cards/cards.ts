import type { Ctx } from '#kernel/context.ts';
import { canonicalKey } from '#licensing/catalog/key-formats/index.ts';
import type { LicenseStatus, LicenseTier, LicenseType } from '#licensing/contract/enumerations.ts';
import { effectiveMaxUses } from '../../decision/index.ts';
import { maskedKey, namesOf } from '../../standing/index.ts';
import { statusOf } from '../public.ts';
import type { License } from '../queries.ts';
import { findLicenses, idsByBeginning, idsByDigest } from './queries.ts';

/** A license as its customer and the desk of the shop see it: never with the whole key (licensing 2.12). */
export interface LicenseCard {
  readonly id: string;
  readonly product: { readonly id: string; readonly name: string; readonly slug: string };
  readonly keyMasked: string;
  readonly keyPrefix: string;
  /** At the time of the call (D34). */
  readonly status: LicenseStatus;
  readonly type: LicenseType;
  readonly tier: LicenseTier;
  readonly validUntil: string | null;
  /** Live machines or seats (D27). */
  readonly activationsUsed: number;
  readonly maxActivations: number;
  readonly currentUses: number;
  /** The policy's where the license has no limit of its own; null for no limit. */
  readonly maxUses: number | null;
  readonly orderId: string | null;
  readonly customerEmail: string;
}

/**
 * Cards of licenses, in the order of their creation; of a license that is unknown or in the trash there is none.
 *
 * @param named ids, or the number of an order
 */
export const cardsOf = async (
  ctx: Ctx,
  named: { readonly ids: readonly string[] } | { readonly orderId: string },
): Promise<LicenseCard[]> => (await findLicenses(ctx, named)).map((license) => cardOf(ctx, license));

const cardOf = (ctx: Ctx, license: License): LicenseCard => ({
  id: license.id,
  product: { id: license.productId, name: license.productName, slug: license.productSlug },
  keyMasked: maskedKey(ctx, license),
  keyPrefix: license.keyPrefix,
  status: statusOf(ctx, license),
  type: license.type,
  tier: license.tier,
  validUntil: license.validUntil,
  activationsUsed: license.activationsUsed,
  maxActivations: license.maxActivations,
  currentUses: license.currentUses,
  maxUses: effectiveMaxUses(license, license.policy),
  orderId: license.orderId,
  customerEmail: license.customer.email,
});

/** Fewer characters begin the keys of too many licenses. */
const FEWEST_TYPED = 4;

/**
 * Ids of the licenses that a key names: for whoever looks for what was delivered with it. A whole key is found as a client
 * may spell it; the beginning of one as far as it is shown to everybody. A text that is longer and no whole key finds
 * nothing: an answer to it would tell a key character by character.
 *
 * @returns none for a text that is no part of a key, and for the beginning of very many
 */
export async function idsByKey(ctx: Ctx, text: string): Promise<string[]> {
  const names = namesOf(ctx, text);
  const key = canonicalKey(text);
  if (key.length < FEWEST_TYPED || names.length === 0) return [];
  for (const named of names) {
    const whole = 'digest' in named ? await idsByDigest(ctx, named.digest) : [];
    if (whole.length > 0) return whole;
  }
  return idsByBeginning(ctx, key);
}
