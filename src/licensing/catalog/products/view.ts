import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { figuresOf } from './queries.ts';
import { type Product, productRecord } from './record.ts';

/** A product as staff see it. */
export const ProductView = later(() =>
  z
    .object({
      ...storedView(productRecord, ['id', 'name', 'slug', 'type', 'status', 'licensingMode']).shape,
      ...storedView(productRecord, ['defaultLicenseType', 'defaultMaxActivations', 'defaultDurationDays'])
        .shape,
      ...storedView(productRecord, ['policyId', 'keyFormatId']).shape,
      ...storedView(productRecord, ['prereleaseNeedsBeta', 'criticalUpdatesForExpired', 'statementRequired'])
        .shape,
      /** Without trashed ones and canary keys. */
      licenses: count(),
      /** The highest version that is published, of every channel; null when none is. */
      newestRelease: z.string().nullable(),
      ...storedView(productRecord, ['metadata', 'createdAt', 'updatedAt']).shape,
    })
    .meta({ id: 'Product' }),
);
export type ProductView = z.output<typeof ProductView>;

/** Products with what belongs to them. */
export async function productViews(products: readonly Product[], ctx: Ctx): Promise<ProductView[]> {
  const figures = await figuresOf(
    ctx,
    products.map(({ id }) => id),
  );
  return products.map((product) => shownBy(ProductView, { ...product, ...figures(product.id) }));
}
