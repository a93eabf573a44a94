import type { HookPoint } from '#kernel/hooks/point.ts';
import { hookEvents, type StoreHookPoint } from '#storefront/contract/hooks.ts';

/** What was put off until its before-hooks have run. */
const putOff: Partial<Record<StoreHookPoint, NonNullable<HookPoint['then']>>> = {
  'inventory.low_stock': async (ctx, payload) => {
    const { tellLowNow } = await import('#storefront/catalog/inventory/index.ts');
    await tellLowNow(ctx, payload);
  },
};

/** Where files of the operator run, in every process: a command changes what a server does, too. */
export const storeHookPoints: readonly HookPoint[] = Object.entries(hookEvents).map(([name, after]) => {
  const then = putOff[name as StoreHookPoint];
  return { name, service: 'store', after, ...(then && { then }) };
});
