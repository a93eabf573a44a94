import type { z } from 'zod';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { type Product, productRecord } from './record.ts';

/** A product as staff see it. */
export const ProductView = storedView(productRecord, [
  'id',
  'name',
  'slug',
  'type',
  'status',
  'licensingMode',
  'defaultLicenseType',
  'defaultMaxActivations',
  'defaultDurationDays',
  'policyId',
  'keyFormatId',
  'prereleaseNeedsBeta',
  'criticalUpdatesForExpired',
  'statementRequired',
  'metadata',
  'createdAt',
  'updatedAt',
]).meta({ id: 'Product' });
export type ProductView = z.output<typeof ProductView>;

export const productView = (product: Product): ProductView => shownBy(ProductView, product);
