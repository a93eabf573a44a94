import type { HookPoint } from '#kernel/hooks/point.ts';

interface Spec {
  readonly description: string;
  /** Whether this version has what it tells of; until then nobody can subscribe to it. */
  readonly isBuilt: boolean;
}

const specs = {
  'order.created': { description: 'an order was placed', isBuilt: true },
  'order.updated': { description: 'a placed order changed', isBuilt: true },
  'order.shipped': { description: 'the last shipment of an order was shipped', isBuilt: true },
  'order.completed': { description: 'an order was completed', isBuilt: true },
  'order.cancelled': { description: 'an order was canceled', isBuilt: true },
  'product.created': { description: 'a product was created', isBuilt: true },
  'product.updated': {
    description: 'a product changed, or one of its variants, options, pictures, tags or categories',
    isBuilt: true,
  },
  'product.deleted': {
    description: 'a product was deleted, or archived because it has orders',
    isBuilt: true,
  },
  'customer.created': { description: 'a customer registered, or was created by staff', isBuilt: true },
  'customer.updated': { description: 'a customer changed', isBuilt: true },
  'return.requested': { description: 'a return was requested', isBuilt: true },
  'return.approved': { description: 'a return was approved', isBuilt: true },
  'return.received': { description: 'the items of a return arrived', isBuilt: true },
  'inventory.low_stock': {
    description: 'the available stock of a variant fell to its threshold',
    isBuilt: true,
  },
  'subscription.created': { description: 'a subscription started', isBuilt: false },
  'subscription.renewed': { description: 'a subscription renewed', isBuilt: false },
  'subscription.cancelled': { description: 'a subscription was canceled', isBuilt: false },
} as const satisfies Record<string, Spec>;

/** An event that the specification has a webhook for (storefront-domain 18). */
export type StoreEventName = keyof typeof specs;

/** One that this version sends. */
export type BuiltEventName = {
  [N in StoreEventName]: (typeof specs)[N]['isBuilt'] extends true ? N : never;
}[StoreEventName];

const names = Object.keys(specs) as StoreEventName[];

/** Events that a webhook can subscribe to, in the order of the specification. */
export const builtEvents = names.filter((name) => specs[name].isBuilt) as readonly BuiltEventName[];

/** What each of them tells. */
export const meaningOf = (name: StoreEventName): string => specs[name].description;

/** Whether webhooks may be told of an event of this type: the shop has others that stay inside. */
export const isToldEvent = (type: string): boolean => (builtEvents as readonly string[]).includes(type);

/** Why an event of the specification is not offered; undefined for one that is, and for other names. */
export function whyNotBuilt(name: string): string | undefined {
  if (!(names as readonly string[]).includes(name) || isToldEvent(name)) return undefined;
  const subject = name.slice(0, name.indexOf('.'));
  return `${name} is not available: this version of the shop has no ${subject}s yet; available are ${builtEvents.join(', ')}`;
}

/** Points at which files of the operator run (storefront-domain 19), with the events after which they do. */
const hookEvents = {
  'order.create': ['order.created'],
  // A cancelled order has changed, too: its hooks read that of its state.
  'order.update': ['order.updated', 'order.cancelled'],
  'order.shipped': ['order.shipped'],
  'order.completed': ['order.completed'],
  'product.created': ['product.created'],
  'product.updated': ['product.updated'],
  'customer.created': ['customer.created'],
  'return.requested': ['return.requested'],
  'return.approved': ['return.approved'],
  'inventory.low_stock': ['inventory.low_stock'],
} as const satisfies Record<string, readonly string[]>;

/** Of every process: a command changes what a server does, too. */
export const storeHookPoints: readonly HookPoint[] = Object.entries(hookEvents).map(([name, after]) => ({
  name,
  service: 'store',
  after,
}));
