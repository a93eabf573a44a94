import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** Units of one variant, on hand or held, are at most so many. */
export const MOST_UNITS = 1_000_000_000;

/**
 * How a shopper finds a variant: `low` is at or below its threshold, `backorder` used up and sold all the same, `out` used
 * up. What is not tracked is `in`.
 */
export const STOCK_STATES = ['in', 'low', 'backorder', 'out'] as const;
export type StockState = (typeof STOCK_STATES)[number];

/** Why staff changes stock. */
export const ADJUST_REASONS = ['received', 'correction', 'damaged', 'returned', 'count'] as const;
export const MOVEMENT_REASONS = [...ADJUST_REASONS, 'sale', 'return', 'cancellation', 'import'] as const;
export type MovementReason = (typeof MOVEMENT_REASONS)[number];

export const RESERVATION_STATUSES = ['held', 'consumed', 'released', 'expired'] as const;

/** What is in stock of a variant (storefront-domain 4.2). */
export const levelRecord = record(
  'inventory_levels',
  {
    variantId: column.id(ids.variant).references('product_variants'),
    /** Below 0 where more was sold on backorder. */
    onHand: column.integer(-MOST_UNITS, MOST_UNITS),
    /** Held for orders that are not settled yet. */
    reserved: column.integer(0, MOST_UNITS),
    trackInventory: column.flag(),
    allowBackorder: column.flag(),
    /** null: that of the settings. */
    lowStockThreshold: column.integer(0, 1_000_000).nullable(),
    /** When somebody was told that it is low; null while it is not. */
    lowStockNotifiedAt: column.time().nullable(),
    state: column.choice(STOCK_STATES),
    /** What the counter of the stock was when the state became this one: servers read what is newer than they know. */
    stateVersion: column.integer(0).local(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { key: ['variantId'] },
);
export type Level = ValuesOf<typeof levelRecord>;

/** A change of what is on hand: rows are added and never changed, and what is on hand is their sum. */
export const movementRecord = record('stock_movements', {
  id: column.id(ids.stockMovement),
  /** The variant may be gone. */
  variantId: column.id(ids.variant),
  delta: column.integer(-2 * MOST_UNITS, 2 * MOST_UNITS),
  onHandAfter: column.integer(-MOST_UNITS, MOST_UNITS),
  reason: column.choice(MOVEMENT_REASONS),
  orderId: column.text(30).nullable(),
  returnId: column.text(30).nullable(),
  /** Who did it, by name. */
  actor: column.text(255, 1),
  note: column.text(500).nullable(),
  createdAt: column.time(),
});
export type Movement = ValuesOf<typeof movementRecord>;

/** Units that an order holds until it is settled. */
export const reservationRecord = record(
  'stock_reservations',
  {
    id: column.id(ids.stockReservation),
    variantId: column.id(ids.variant).references('product_variants'),
    orderId: column.text(30, 1),
    orderItemId: column.text(30, 1),
    quantity: column.integer(1, MOST_UNITS),
    status: column.choice(RESERVATION_STATUSES),
    expiresAt: column.time(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['orderItemId'] },
);
export type Reservation = ValuesOf<typeof reservationRecord>;
