import type { Product } from '#licensing/products/index.ts';

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
  createdAt: product.createdAt,
});
