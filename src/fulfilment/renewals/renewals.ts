import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { LineCheck } from '#storefront/contract/extensions.ts';
import {
  defaultSeats,
  getGrant,
  type LicenseGrant,
  renewalSnapshot,
  renewedLicense,
} from '../grants/index.ts';
import { soldAs } from './queries.ts';

/** What a customer buys to make a license last longer. */
export interface Renewal {
  readonly variantId: string;
  readonly quantity: number;
  /** What stands with the line of the cart. */
  readonly fulfilment: ReturnType<typeof renewalSnapshot>;
}

const refused = (why: string) =>
  fail('VALIDATION_ERROR', `This license cannot be renewed: ${why}`, {
    details: { reason: 'NOT_RENEWABLE' },
  });

/** The grant that a license is renewed by, and its card; a sentence where it cannot be. */
async function renewalOf(
  ctx: Ctx,
  licenseId: string,
): Promise<{ readonly grant: LicenseGrant; readonly card: licenses.LicenseCard } | string> {
  const [card] = await licenses.cardsOf(ctx, { ids: [licenseId] });
  if (!card) return 'it was deleted';
  if (card.validUntil === null) return 'it never expires';
  if (card.status === 'REVOKED') return 'it was revoked';
  if (card.type === 'TRIAL' || card.type === 'BETA') return 'it is a trial';
  const variantId = await soldAs(ctx, licenseId);
  const grant = variantId === null ? null : await getGrant(ctx, variantId);
  if (!grant) return 'what it was bought as is no longer sold';
  if (grant.durationDays === null) return 'what it was bought as no longer expires';
  return { grant, card };
}

/** Whether the shop offers to renew a license. */
export const isRenewable = async (ctx: Ctx, licenseId: string): Promise<boolean> =>
  typeof (await renewalOf(ctx, licenseId)) !== 'string';

/**
 * What to put into the cart of whoever renews a license: the variant that it was bought as, at its price of today; of
 * seats as many as the license has (fulfilment section 7). Whose license it is is asked before.
 *
 * @param words how the line is read, from the masked key
 * @throws AppError VALIDATION_ERROR, reason NOT_RENEWABLE, for a license without an end, one that was revoked, and one
 *   that is not sold any more
 */
export async function renewalFor(
  ctx: Ctx,
  licenseId: string,
  words: (keyMasked: string) => string,
): Promise<Renewal> {
  const found = await renewalOf(ctx, licenseId);
  if (typeof found === 'string') throw refused(found);
  const { grant, card } = found;
  const each = grant.maxActivations ?? (await defaultSeats(ctx, grant.licenseProductId));
  const quantity = grant.quantityMode === 'seats' ? Math.max(1, Math.round(card.maxActivations / each)) : 1;
  return {
    variantId: grant.variantId,
    quantity,
    fulfilment: renewalSnapshot(licenseId, { shown: words(card.keyMasked), least: quantity }),
  };
}

/** Lets no order be made whose renewals could not be carried out. @throws AppError VALIDATION_ERROR, reason NOT_RENEWABLE */
export const requireRenewable: LineCheck = async (ctx, kept) => {
  for (const licenseId of kept.map(renewedLicense)) {
    if (licenseId === null) continue;
    const [card] = await licenses.cardsOf(ctx, { ids: [licenseId] });
    if (!card || card.status === 'REVOKED') throw refused(card ? 'it was revoked' : 'it was deleted');
  }
};
