import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { AccountLicenses } from '#storefront/contract/extensions.ts';
import { withCards } from './owned.ts';
import { LICENSES } from './paths.ts';
import { ownedBy } from './queries.ts';

/** So long before its end a license is shown where its customer begins. */
const SOON_DAYS = 30;
const MOST_SHOWN = 5;

/** Where the account leads to licenses, and those of a customer that end soon. */
export const licensesInAccount: AccountLicenses = {
  path: LICENSES,
  async endingSoon(ctx, customerId) {
    const now = ctx.now();
    const until = addSeconds(now, SOON_DAYS * SECONDS_PER_DAY);
    const all = await withCards(ctx, await ownedBy(ctx, customerId));
    return all
      .flatMap(({ card: { id, product, keyMasked, status, validUntil } }) =>
        status === 'ACTIVE' && validUntil !== null && validUntil <= until
          ? [{ path: `${LICENSES}/${encodeURIComponent(id)}`, product: product.name, keyMasked, validUntil }]
          : [],
      )
      .toSorted((one, other) => (one.validUntil < other.validUntil ? -1 : 1))
      .slice(0, MOST_SHOWN);
  },
};
