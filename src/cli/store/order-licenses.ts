import type { LicenseMintShown } from '#fulfilment/desk/view.ts';
import type { StoreOrderShown } from '#storefront/orders/desk/view.ts';
import { at, type Desk } from '../desk/desk.ts';

/** Operations on the licenses of an order. */
export const licenseEndpoints = async () =>
  (await import('#fulfilment/desk/endpoints.store.ts')).orderLicenseEndpoints;

interface Missing {
  readonly title: string;
  readonly units: number;
  readonly error: string | null;
}

interface Licenses {
  readonly data: readonly LicenseMintShown[];
  readonly missing: readonly Missing[];
}

/** The licenses of an order; none where the shop sells none. */
export const licensesOf = (desk: Desk, orderId: string): Promise<Licenses> =>
  desk.get<Licenses>(at`orders/${orderId}/licenses`).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && ['NOT_FOUND', 'CONFLICT'].includes(String(error.code)))
      return { data: [], missing: [] };
    throw error;
  });

/** `APP-7F3K-****  made  1 of 2 machines`. */
export const licenseLine = (one: LicenseMintShown): string =>
  [
    one.key_masked ?? one.license_id ?? one.title ?? 'not created yet',
    one.status,
    one.activations_used === null ? null : `${one.activations_used} of ${one.max_activations} machines`,
    one.license_id,
    one.error,
  ]
    .filter((part) => part !== null)
    .join('  ');

/** A line of an order's card: what a paid order is missing, or what an unpaid one will get. */
export function missingLine(
  { title, units, error }: Missing,
  { paid_at: paidAt, due_cents: due }: Pick<StoreOrderShown, 'paid_at' | 'due_cents'>,
): readonly [label: string, text: string] {
  const line = `${units} × ${title}`;
  if (error !== null) return ['missing', `${line}  ${error}`];
  return paidAt !== null && due <= 0 ? ['missing', line] : ['license', `${line}  is waiting for the payment`];
}
