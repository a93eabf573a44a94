import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';

/** Charts look back a quarter, and at the one before. */
const DAYS = 200;

/** Machines of a product by the version that they ran at the last count of a day. */
export const versionDayRecord = record(
  'license_version_days',
  {
    productId: column.id(ids.product).references('license_products'),
    day: column.day(),
    /** Empty for machines that say none; `*` for those of all rarer versions. */
    version: column.text(bounds.appVersion),
    machines: column.integer(0),
  },
  { key: ['productId', 'day', 'version'], kept: [{ as: 'versionDays', by: 'day', days: DAYS }] },
);
