import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';

/** Charts look back a quarter, and at the one before. */
const DAYS = 200;

/** Floating seats of a product in an hour. */
export const seatHourRecord = record(
  'license_seat_hours',
  {
    productId: column.id(ids.product).references('license_products'),
    /** Its first moment. */
    hour: column.time(),
    /** The most that were in use when they were counted. */
    used: column.integer(0),
    /** How many there were at the last count. */
    seats: column.integer(0),
  },
  { key: ['productId', 'hour'], kept: [{ as: 'seatHours', by: 'hour', days: DAYS }] },
);
