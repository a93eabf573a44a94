import type { Product } from '#licensing/catalog/products/index.ts';
import { card, titleOf } from '../card.ts';
import type { Cli } from '../frame/context.ts';

/** A product as the command line shows it (cli.md section 2). */
export type ProductView = ReturnType<typeof productView>;

export const productView = (product: Product) => ({
  id: product.id,
  name: product.name,
  slug: product.slug,
  type: product.type,
  status: product.status,
  licensingMode: product.licensingMode,
  defaultLicenseType: product.defaultLicenseType,
  defaultMaxActivations: product.defaultMaxActivations,
  defaultDurationDays: product.defaultDurationDays,
  policyId: product.policyId,
  keyFormatId: product.keyFormatId,
  prereleaseNeedsBeta: product.prereleaseNeedsBeta,
  criticalUpdatesForExpired: product.criticalUpdatesForExpired,
  statementRequired: product.statementRequired,
  metadata: product.metadata,
  createdAt: product.createdAt,
});

/** Writes a product as the answer; for a person its switches say yes or no. */
export const writeProduct = (cli: Cli, product: ProductView): Promise<void> =>
  cli.out.value(
    product,
    card(
      Object.entries(product).map(([field, value]) => [
        titleOf(field),
        typeof value === 'boolean' ? (value ? 'yes' : 'no') : value,
      ]),
    ),
  );
