import type { Ctx } from '#kernel/context.ts';
import type { Place } from '#storefront/contract/regions.ts';
import { storePostalCode, storeState, taxBasedOn } from '#storefront/contract/selling-settings.ts';
import { defaultCountry } from '#storefront/contract/settings.ts';
import type { TaxRate } from '../engine/index.ts';
import { ratesOfClass, taxZoneAt } from './rates-at.ts';
import { STANDARD_CLASS } from './record.ts';
import * as repo from './repository.ts';

/** What is taxed how at a place. */
export interface Taxes {
  /** The zone that the place is in; null where no tax is due. */
  readonly zone: { readonly id: string; readonly name: string } | null;
  /** @param classId of a product; null is the class standard */
  readonly ofGoods: (classId: string | null) => TaxRate[];
  /** @param classId of a method of shipping */
  readonly ofShipping: (classId: string) => TaxRate[];
}

/** The taxes that are due at a place now: those of the one zone that applies. */
export async function taxesAt(ctx: Ctx, place: Place): Promise<Taxes> {
  const zone = taxZoneAt(await repo.zonesIn(ctx, place.country.toUpperCase()), place);
  const rates = zone ? await repo.ratesIn(ctx, zone.id) : [];
  const now = ctx.now();
  return {
    zone: zone && { id: zone.id, name: zone.name },
    ofGoods: (classId) => ratesOfClass(rates, classId ?? STANDARD_CLASS, now),
    ofShipping: (classId) => ratesOfClass(rates, classId, now, true),
  };
}

/** Where the shop is, as far as its settings say it. */
export const storePlace = ({ settings }: Pick<Ctx, 'settings'>): Place => ({
  country: settings.get(defaultCountry),
  state: settings.get(storeState),
  postalCode: settings.get(storePostalCode),
});

/** The place whose taxes an order owes (storefront-domain 5): the address that the setting names, or the next one. */
export function taxPlace(
  ctx: Pick<Ctx, 'settings'>,
  { shipping, billing }: { readonly shipping: Place | null; readonly billing: Place | null },
): Place {
  const order = { shipping: [shipping, billing], billing: [billing, shipping], store: [] } as const;
  const named: readonly (Place | null)[] = order[ctx.settings.get(taxBasedOn)];
  return named.find((place) => place !== null) ?? storePlace(ctx);
}
