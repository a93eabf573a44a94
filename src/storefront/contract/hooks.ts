/** Points at which files of the operator may run (storefront-domain 19), with the events after which they do. */
export const hookEvents = {
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

/** Name of a point of the shop. */
export type StoreHookPoint = keyof typeof hookEvents;
