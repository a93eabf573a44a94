import type { StoreProduct } from '#storefront/catalog/products/view.ts';
import type { BuiltEventName } from '#storefront/contract/events.ts';

const AT = '2026-11-20T10:00:00.000Z';
const PRODUCT = 'prd_01KAFZ8R4N6T2V9X3B5C7D0E1F';
const VARIANT = 'var_01KAFZ8R5P7V3W0Y4C6D8F1G2H';

const variant: StoreProduct['variants'][number] = {
  id: VARIANT,
  product_id: PRODUCT,
  sku: 'MUG-01',
  title: 'Default',
  option_values: {},
  price_cents: 1900,
  compare_at_cents: null,
  unit_cents: 1900,
  tiers: [],
  cost_cents: 700,
  currency: 'USD',
  weight_g: 350,
  length_mm: 0,
  width_mm: 0,
  height_mm: 0,
  shipping_class_id: null,
  requires_shipping: true,
  barcode: null,
  media_id: null,
  is_default: true,
  position: 0,
  inventory: {
    on_hand: 4,
    reserved: 0,
    available: 4,
    threshold: 5,
    backorder: false,
    track_inventory: true,
    allow_backorder: false,
    low_stock_threshold: null,
    low_stock_notified_at: AT,
    state: 'low',
    updated_at: AT,
  },
  created_at: AT,
  updated_at: AT,
};

const product: StoreProduct = {
  id: PRODUCT,
  title: 'Stoneware mug',
  slug: 'stoneware-mug',
  status: 'active',
  type: 'physical',
  description_html: '<p>Holds 300 ml.</p>',
  short_description: 'Holds 300 ml',
  brand: 'Kiln',
  is_discountable: true,
  is_taxable: true,
  tax_class_id: null,
  min_quantity: 1,
  max_quantity: null,
  publish_at: null,
  scheduled_for: null,
  seo: { title: null, description: null },
  price_cents: 1900,
  price_max_cents: 1900,
  currency: 'USD',
  rating: null,
  review_count: 0,
  tags: ['KITCHEN'],
  categories: [],
  collections: [],
  options: [],
  variants: [variant],
  media: [],
  version: 3,
  created_at: AT,
  updated_at: AT,
};

/** `data` of each event, for people who write a receiver; the id of the event is added to it. */
export const examples: Readonly<Record<BuiltEventName, Readonly<Record<string, unknown>>>> = {
  'product.created': product,
  'product.updated': product,
  'product.deleted': { id: PRODUCT, slug: 'stoneware-mug', archived: false },
  'inventory.low_stock': {
    variant: { id: VARIANT, sku: variant.sku, title: variant.title, product_id: PRODUCT },
    available: 4,
    threshold: 5,
  },
};

export const EXAMPLE_EVENT_ID = 'evt_01KAFZ8R6Q8W4X1Z5D7F9G2H3J';
