import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

export const FILE_KINDS = ['upload', 'license_release'] as const;
export const MOST_DOWNLOADS = 100_000;
export const MOST_DAYS = 36_500;

/** What buyers of a variant may download (storefront-domain 4.1). */
export const digitalFileRecord = record('digital_files', {
  id: column.id(ids.digitalFile),
  variantId: column.id(ids.variant).references('product_variants'),
  /** `upload`: bytes that are stored here; `license_release`: the newest release of a channel. */
  kind: column.choice(FILE_KINDS),
  name: column.text(255, 1),
  storageKey: column.text(100).nullable(),
  bytes: column.integer(0),
  /** Lower-case hex. */
  sha256: column.text(64, 64).nullable(),
  mime: column.text(100).nullable(),
  releaseChannel: column.text(30).nullable(),
  /** null: as often as a buyer wants. */
  maxDownloads: column.integer(1, MOST_DOWNLOADS).nullable(),
  /** Days after the payment; null: for ever. */
  expiresDays: column.integer(1, MOST_DAYS).nullable(),
  position: column.integer(0),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type DigitalFile = ValuesOf<typeof digitalFileRecord>;
