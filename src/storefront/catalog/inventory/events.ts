import { change, defineEvents, event } from '#kernel/events.ts';
import { levelRecord, reservationRecord } from './record.ts';

/** A variant that fell to its threshold. */
export interface LowStock {
  readonly variant: {
    readonly id: string;
    readonly sku: string;
    readonly title: string;
    readonly product_id: string;
  };
  readonly available: number;
  readonly threshold: number;
}

/** What happens to stock, by the name that webhooks know (storefront-domain 18). */
export const inventoryEvents = defineEvents(
  'store',
  {
    /** Fell to its threshold: once, until it has risen above it again. */
    'inventory.low_stock': event<LowStock>(),
    'inventory.adjusted': change<{ delta: number; reason: string }>(),
    'inventory.rules_changed': change<Record<string, never>>(),
  },
  { target: 'shop-inventory', record: levelRecord },
);

/** What happens to what orders hold, where a person does it. */
export const reservationEvents = defineEvents(
  'store',
  {
    'inventory.reservation_released': change<{
      quantity: number;
      reason: string | null;
    }>(),
  },
  { target: 'shop-reservations', record: reservationRecord },
);
