import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import { cardsOf, type LicenseCard } from '#licensing/licenses/licenses/index.ts';
import { findOwned, type Owned, ownedBy } from './queries.ts';

/** A license of a customer, without its key, and the order that it was bought with. */
export interface OwnLicense {
  readonly card: LicenseCard;
  readonly orderNumber: string | null;
}

/** Which licenses of a customer are wanted. */
export interface OwnAsked {
  readonly page: number;
  readonly perPage: number;
  readonly status?: LicenseStatus | undefined;
}

/** The licenses that a customer has bought, the newest first, and how many there are. */
export async function ownLicenses(
  ctx: Ctx,
  customerId: string,
  { page, perPage, status }: OwnAsked,
): Promise<{ licenses: OwnLicense[]; total: number }> {
  const all = await ownedBy(ctx, customerId);
  const slice = <T>(list: readonly T[]): T[] => list.slice((page - 1) * perPage, page * perPage);
  if (status === undefined) return { licenses: await withCards(ctx, slice(all)), total: all.length };
  // What a license is depends on the time, so that all of them are looked at.
  const found = (await withCards(ctx, all)).filter(({ card }) => card.status === status);
  return { licenses: slice(found), total: found.length };
}

/** In the same order, without those that staff threw away. */
export async function withCards(ctx: Ctx, owned: readonly Owned[]): Promise<OwnLicense[]> {
  if (owned.length === 0) return [];
  const cards = await cardsOf(ctx, { ids: owned.map(({ licenseId }) => licenseId) });
  const byId = new Map(cards.map((card) => [card.id, card]));
  return owned.flatMap(({ licenseId, orderNumber }) => {
    const card = byId.get(licenseId);
    return card ? [{ card, orderNumber }] : [];
  });
}

/** One of them. @throws AppError NOT_FOUND, the same for one of somebody else and for an unknown one */
export async function ownLicense(ctx: Ctx, customerId: string, licenseId: string): Promise<OwnLicense> {
  const owned = await findOwned(ctx, customerId, licenseId);
  const [license] = owned ? await withCards(ctx, [owned]) : [];
  if (license) return license;
  throw missingLicense(licenseId);
}

/** How a license is refused that whoever asks does not have. */
export const missingLicense = (id: string) => fail('NOT_FOUND', `license ${id} does not exist`);
