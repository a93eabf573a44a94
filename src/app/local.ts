import { fulfilmentLocal } from '#fulfilment/local.ts';
import type { LocalPart } from '#kernel/capability.ts';
import type { OutboxSource } from '#kernel/context.ts';
import { licensingLocal } from '#licensing/local.ts';
import * as platform from '#platform/local.ts';
import { storefrontLocal } from '#storefront/local.ts';

/**
 * The settings and subscribers of all capabilities. They stand apart from endpoints, pages and jobs, so that a command
 * that changes one row loads the third of the program that it needs.
 */
export const localParts: readonly LocalPart[] = [
  ...Object.values(platform),
  ...licensingLocal,
  ...storefrontLocal,
  ...fulfilmentLocal,
];

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
