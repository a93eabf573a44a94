import type { OutboxSource } from '#kernel/context.ts';
import type { HookPoint } from '#kernel/hooks/point.ts';

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

/** Who is told of events after which files run. What writes for them is loaded when there are such files. */
export const hookSource: OutboxSource = {
  // Read-only calls have no hooks.
  hasListeners: () => false,
  async receiversOf(ctx, event) {
    const point = ctx.hooks.pointAfter(event);
    if (!point || ctx.hooks.isIdle(`after:${point.name}`)) return null;
    const { byEvent } = await ctx.hooks.load();
    const files = new Set((byEvent.get(`after:${point.name}`) ?? []).map(({ file }) => file));
    if (files.size === 0) return null;
    const { writeRuns } = await import('#platform/hooks/index.ts');
    return (ctx, event) => writeRuns(ctx, point.name, event, [...files]);
  },
};
