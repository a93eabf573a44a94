import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { machineSearch } from '../../activations/index.ts';
import type { SeatView } from '../view.ts';

/** A seat that a machine holds. */
export type SeatRow = Omit<SeatView, 'secondsLeft'>;

/** Leases that have not run out (D75), of licenses outside the trash; the first to end comes first. */
export const seatRows = selection<SeatRow, Record<string, unknown>>({
  from: (ctx) =>
    ctx.db
      .knex('license_activations as a')
      .join('licenses as l', 'l.id', 'a.license_id')
      .whereNull('l.deleted_at')
      .whereNull('a.ended_at')
      .where('a.lease_expires_at', '>', ctx.now()),
  id: 'a.id',
  scope: { tenant: 'a.tenant_id', license_product: 'l.product_id' },
  columns: [
    'a.id',
    'a.license_id',
    'k.prefix',
    'l.product_id',
    'p.slug',
    'a.machine_id',
    'a.machine_name',
    'a.activated_at',
    'a.lease_expires_at',
  ],
  joins: {
    shown: (query) =>
      query
        .joinRaw("join license_keys as k on k.license_id = l.id and k.kind = 'CURRENT'")
        .joinRaw('join license_products as p on p.id = l.product_id'),
  },
  shows: ['shown'],
  read: (row) => ({
    id: row.id as string,
    licenseId: row.license_id as string,
    keyPrefix: row.prefix as string,
    productId: row.product_id as string,
    productSlug: row.slug as string,
    machineId: row.machine_id as string,
    machineName: row.machine_name as string | null,
    since: row.activated_at as string,
    leaseExpiresAt: row.lease_expires_at as string,
  }),
  filters: {
    productId: products.productFilter('l.product_id'),
    licenseId: filter.lookup({ label: 'License', column: 'a.license_id', resource: 'licenses' }),
  },
  search: machineSearch,
  sorts: { leaseExpires: 'a.lease_expires_at', since: 'a.activated_at', id: 'a.id' },
  initial: 'leaseExpires',
});
