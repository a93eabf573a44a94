import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { lowStockThreshold } from '#storefront/contract/settings.ts';
import { availableOf, thresholdOf } from './level.ts';
import type { Held, Named, Stocked } from './queries.ts';
import { type Level, MOVEMENT_REASONS, type Movement, RESERVATION_STATUSES, STOCK_STATES } from './record.ts';

const units = () => z.int();

const VariantNamed = {
  id: z.string(),
  sku: z.string(),
  title: z.string(),
  product_id: z.string(),
  product_title: z.string(),
};

const LevelShown = {
  on_hand: units(),
  /** Held for orders that are not settled yet. */
  reserved: count(),
  available: units(),
  /** At or below so many it is low: its own, or that of the settings. */
  threshold: count(),
  /** Whether it can be bought when it is used up. */
  backorder: z.boolean(),
  track_inventory: z.boolean(),
  allow_backorder: z.boolean(),
  low_stock_threshold: count().nullable(),
  low_stock_notified_at: instant().nullable(),
  state: z.enum(STOCK_STATES),
  updated_at: instant(),
};

/** What is in stock of a variant. */
export const InventoryLevelView = later(() =>
  z
    .object({
      variant_id: z.string(),
      variant: z.object(VariantNamed),
      ...LevelShown,
    })
    .meta({ id: 'InventoryLevel' }),
);
export type InventoryLevel = z.output<typeof InventoryLevelView>;

/** The same as part of a variant. */
export const VariantInventoryView = z.object(LevelShown).meta({ id: 'VariantInventory' });
export type VariantInventory = z.output<typeof VariantInventoryView>;

/** What shoppers see of the stock of a variant. */
export const StockShown = {
  /** Units that can be bought; null where they are not counted. */
  available: count().nullable(),
  in_stock: z.boolean(),
  /** It can be bought when it is used up. */
  backorder: z.boolean(),
};
/** Of one that is not tracked. */
export const UNCOUNTED = { available: null, in_stock: true, backorder: false } as const;

/** A change of what is on hand. */
export const StockMovementView = later(() =>
  z
    .object({
      id: z.string(),
      variant_id: z.string(),
      delta: units(),
      on_hand_after: units(),
      reason: z.enum(MOVEMENT_REASONS),
      order_id: z.string().nullable(),
      return_id: z.string().nullable(),
      /** Who did it, by name. */
      actor: z.string(),
      note: z.string().nullable(),
      created_at: instant(),
    })
    .meta({ id: 'StockMovement' }),
);

/** What an order holds, or held. */
export const ReservationView = later(() =>
  z
    .object({
      id: z.string(),
      variant: z.object(VariantNamed),
      order_id: z.string(),
      order_item_id: z.string(),
      quantity: count(),
      status: z.enum(RESERVATION_STATUSES),
      expires_at: instant(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'Reservation' }),
);

/** @param standing the threshold of the settings */
export const variantInventoryView = (level: Level, standing: number): VariantInventory => ({
  on_hand: level.onHand,
  reserved: level.reserved,
  available: availableOf(level),
  threshold: thresholdOf(level, standing),
  backorder: level.allowBackorder,
  track_inventory: level.trackInventory,
  allow_backorder: level.allowBackorder,
  low_stock_threshold: level.lowStockThreshold,
  low_stock_notified_at: level.lowStockNotifiedAt,
  state: level.state,
  updated_at: level.updatedAt,
});

const variantNamed = (id: string, { sku, title, productId, productTitle }: Named) => ({
  id,
  sku,
  title,
  product_id: productId,
  product_title: productTitle,
});

export const inventoryLevelView = (stocked: Stocked, ctx: Ctx): InventoryLevel => ({
  variant_id: stocked.variantId,
  variant: variantNamed(stocked.variantId, stocked),
  ...variantInventoryView(stocked, ctx.settings.get(lowStockThreshold)),
});

export const movementView = (movement: Movement): z.output<typeof StockMovementView> => ({
  id: movement.id,
  variant_id: movement.variantId,
  delta: movement.delta,
  on_hand_after: movement.onHandAfter,
  reason: movement.reason,
  order_id: movement.orderId,
  return_id: movement.returnId,
  actor: movement.actor,
  note: movement.note,
  created_at: movement.createdAt,
});

export const reservationView = (held: Held): z.output<typeof ReservationView> => ({
  id: held.id,
  variant: variantNamed(held.variantId, held),
  order_id: held.orderId,
  order_item_id: held.orderItemId,
  quantity: held.quantity,
  status: held.status,
  expires_at: held.expiresAt,
  created_at: held.createdAt,
  updated_at: held.updatedAt,
});
