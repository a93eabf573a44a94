import type { OutboxSource } from '#kernel/context.ts';

/**
 * Who is told of events after which files of the operator run. Every process has it; what writes for them is loaded when
 * there are such files.
 */
export const hookSource: OutboxSource = {
  // Read-only calls have no hooks.
  hasListeners: () => false,
  async receiversOf(ctx, event) {
    const point = ctx.hooks.pointAfter(event);
    if (!point || ctx.hooks.isIdle(`after:${point.name}`)) return null;
    const { byEvent } = await ctx.hooks.load();
    const files = new Set((byEvent.get(`after:${point.name}`) ?? []).map(({ file }) => file));
    if (files.size === 0) return null;
    const { writeRuns } = await import('./runs.ts');
    return (ctx, event) => writeRuns(ctx, point.name, event, [...files]);
  },
};
