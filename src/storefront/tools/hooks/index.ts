import type { HookThen } from '#platform/hooks/index.ts';
import { tellLowNow } from '#storefront/catalog/inventory/index.ts';

export { storeHookPoints } from '#storefront/contract/events.ts';

/** What was put off until its before-hooks have run. */
export const storeHookThens: Readonly<Record<string, HookThen>> = { 'inventory.low_stock': tellLowNow };
