import { storeScreen } from '#platform/admin/index.ts';
import { adjustTab } from './pages.ts';
import { InventoryLevelView, ReservationView, StockMovementView } from './view.ts';

const words = {
  in: 'In stock',
  low: 'Low',
  backorder: 'On backorder',
  out: 'Out of stock',
} as const;
const tones = { in: 'ok', low: 'warn', backorder: 'warn', out: 'bad' } as const;

interface Shown {
  readonly state: keyof typeof words;
  readonly trackInventory: boolean;
}

/** What is not tracked is sold whatever its stock is. */
const stateWord = ({ state, trackInventory }: Shown): string =>
  trackInventory ? words[state] : 'Not tracked';
const stateTone = ({ state, trackInventory }: Shown) => (trackInventory ? tones[state] : 'muted');

/** The stock of the shop in the panel. */
export const inventoryScreen = storeScreen(InventoryLevelView, {
  path: '/store/inventory',
  words: 'stock warehouse quantity',
  key: 'variantId',
  area: 'store',
  order: 25,
  nav: 'Inventory',
  title: ({ variant }) => variant.sku,
  columns: {
    sku: {
      label: 'SKU',
      kind: 'code',
      value: ({ variant }) => variant.sku,
      sort: 'sku',
    },
    product: {
      label: 'Product',
      value: ({ variant }) => variant.productTitle,
      link: ({ variant }) => `/store/products/${variant.productId}`,
      sort: 'product',
    },
    variant: { label: 'Variant', value: ({ variant }) => variant.title },
    state: {
      label: 'State',
      kind: 'status',
      value: stateWord,
      tone: stateTone,
    },
    onHand: { label: 'On hand', kind: 'number', sort: 'stock' },
    reserved: { label: 'Reserved', kind: 'number', sort: 'reserved' },
    available: { label: 'Available', kind: 'number', sort: 'available' },
    threshold: { label: 'Threshold', kind: 'number' },
    backorder: { label: 'Backorders', kind: 'flag', hidden: true },
    updatedAt: { label: 'Changed', sort: 'updated', hidden: true },
  },
  facts: {
    product: {
      label: 'Product',
      value: ({ variant }) => variant.productTitle,
      link: ({ variant }) => `/store/products/${variant.productId}`,
    },
    variant: {
      label: 'Variant',
      value: ({ variant }) => variant.title,
      link: ({ variant }) => `/store/variants/${variant.id}`,
    },
    state: {
      label: 'State',
      kind: 'status',
      value: stateWord,
      tone: stateTone,
    },
    onHand: { label: 'On hand', kind: 'number' },
    reserved: { label: 'Reserved for orders', kind: 'number' },
    available: { label: 'Available', kind: 'number' },
    threshold: { label: 'Low at or below', kind: 'number' },
    trackInventory: { label: 'Stock is tracked', kind: 'flag' },
    allowBackorder: { label: 'Sell when out of stock', kind: 'flag' },
    lowStockNotifiedAt: { label: 'Low stock reported', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
  },
  labels: {
    trackInventory: 'Track stock',
    allowBackorder: 'Allow backorders',
    lowStockThreshold: 'Low at or below',
    setTo: 'Counted',
    delta: 'Change by',
  },
  fields: {
    trackInventory: { help: 'Off: the shop sells it regardless of stock.' },
    allowBackorder: { help: 'On: shoppers can buy it when it is out of stock.' },
    lowStockThreshold: {
      help: 'In units. Leave empty for the threshold in the settings.',
    },
    delta: {
      help: 'Units to add, or to remove with a minus. Leave empty to enter a count.',
    },
    setTo: { help: 'Units counted. Leave empty to enter a change.' },
  },
  views: [
    { name: 'Low or out', query: 'low=true&sort=available' },
    { name: 'Out of stock', query: 'out=true' },
    { name: 'Tracked', query: 'tracked=true' },
  ],
  links: [
    { label: 'Import counts', href: '/store/inventory/counts', needs: 'inventory:write' },
    { label: 'Reservations', href: '/store/inventory/reservations', needs: 'inventory:read' },
  ],
  // The form of its tab does it.
  without: ['adjust'],
  tabs: {
    adjust: {
      label: 'Adjust stock',
      template: 'store/stock-form',
      needs: 'inventory:write',
      load: (ctx, { variantId }) => adjustTab(ctx, variantId),
    },
    movements: {
      label: 'Movements',
      of: 'shop-movements',
      named: ({ variantId }) => ({ variantId }),
    },
    reservations: {
      label: 'Reservations',
      of: 'shop-reservations',
      filters: ({ variantId }) => ({ variantId }),
    },
  },
  empty: {
    text: 'Every variant of a product has a stock level. Create a product with a variant first.',
    docs: 'glossary',
    cli: null,
  },
});

/** Changes of stock in the panel. */
export const movementScreen = storeScreen(StockMovementView, {
  path: '/store/inventory/{variantId}/movements',
  area: 'store',
  nav: null,
  title: ({ id }) => id,
  columns: {
    createdAt: { label: 'When', sort: 'created' },
    delta: {
      label: 'Change',
      kind: 'number',
      value: ({ delta }) => (delta > 0 ? `+${delta}` : delta),
    },
    onHandAfter: { label: 'On hand after', kind: 'number' },
    reason: {},
    actor: { label: 'By' },
    note: {},
    orderId: { label: 'Order', kind: 'code', hidden: true },
  },
  empty: {
    text: 'The stock of this variant has not changed yet.',
    docs: 'glossary',
    cli: null,
  },
});

/** What orders hold, in the panel. */
export const reservationScreen = storeScreen(ReservationView, {
  path: '/store/inventory/reservations',
  area: 'store',
  nav: null,
  title: ({ id }) => id,
  columns: {
    id: { label: 'Reservation', kind: 'code' },
    sku: {
      label: 'SKU',
      kind: 'code',
      value: ({ variant }) => variant.sku,
      link: ({ variant }) => `/store/inventory/${variant.id}`,
    },
    quantity: { label: 'Units', kind: 'number' },
    orderId: { label: 'Order', kind: 'code' },
    status: {},
    expiresAt: { label: 'Held until', sort: 'expires', kind: 'date' },
    createdAt: { label: 'Since', sort: 'created', hidden: true },
  },
  fields: { reason: { help: 'For the audit log.' } },
  empty: {
    text: 'No stock is reserved right now. Orders reserve their items until they are paid.',
    docs: 'glossary',
    cli: null,
  },
});
