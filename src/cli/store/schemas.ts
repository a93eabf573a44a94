import { z } from 'zod';
import { LicenseMintView } from '#fulfilment/desk/view.ts';
import { InventoryLevelView } from '#storefront/catalog/inventory/view.ts';
import { StoreProductView } from '#storefront/catalog/products/view.ts';
import { StoreOrderView } from '#storefront/orders/desk/view.ts';
import { SampleRemovedView, SampleView } from '#storefront/tools/sample/view.ts';
import { batchShape, dryRun } from '../shapes.ts';

/** What changes one product prints, and what changes several. */
export const StoreProductOrBatch = z.union([
  StoreProductView.extend({ dryRun }),
  batchShape(StoreProductView),
]);

/** What an export wrote to a file, and one line of an export. */
export const StoreExportOutput = z.union([
  z.strictObject({
    file: z.string(),
    rows: z.strictObject({ products: z.int(), categories: z.int(), collections: z.int() }),
    /** Different pictures that the products show. */
    pictures: z.int(),
    /** The folder that they were written to. */
    media: z.string().nullable(),
  }),
  z.looseObject({
    kind: z.enum(['product', 'category', 'collection', 'relations', 'order']),
    slug: z.string(),
  }),
]);

/** What an export of customers wrote to a file. */
export const CustomerExportOutput = z.strictObject({ file: z.string() });

/** What became of the lines of a file; of refused ones the first thousand. */
export const StoreImportOutput = z.strictObject({
  lines: z.int(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  failed: z.int(),
  /** Pictures that were put into the library. */
  pictures: z.int(),
  errors: z.array(
    z.strictObject({ line: z.int(), name: z.string().nullable(), code: z.string(), message: z.string() }),
  ),
  /** What lines name that does not exist; they were taken without it. The first thousand. */
  warnings: z.array(z.strictObject({ line: z.int(), name: z.string().nullable(), message: z.string() })),
  summary: z.strictObject({ total: z.int(), succeeded: z.int(), failed: z.int() }),
  dryRun,
});
export type StoreImport = z.infer<typeof StoreImportOutput>;

/** What of the sample data is in the shop. */
export const SampleOutput = SampleView.omit({ task: true }).extend({ dryRun });

/** What was taken away of it, and what stays. */
export const SampleRemovedOutput = SampleRemovedView.extend({ dryRun });

/** The stock of a variant. */
export const InventoryOutput = z.strictObject({ sku: z.string() }).extend({
  ...InventoryLevelView.omit({ variant: true }).shape,
  dryRun,
});

/** What counting all orders again came to. */
export const RebuiltOutput = z.strictObject({ orders: z.int() });

/** What `store order show` prints. */
export const OrderWithLicenses = StoreOrderView.extend({
  licenses: z.array(LicenseMintView),
  missing_licenses: z.array(
    z.strictObject({ title: z.string(), units: z.int(), error: z.string().nullable() }),
  ),
});
