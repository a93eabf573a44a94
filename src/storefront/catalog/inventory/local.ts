import type { LocalPart } from '#kernel/capability.ts';
import { on } from '#kernel/events.ts';
import { settingEvents } from '#platform/settings/index.ts';
import { lowStockThreshold } from '#storefront/contract/settings.ts';

/** What every process knows of the stock: a command that changes the threshold changes what is low. */
export const inventoryLocal = {
  name: 'shop-inventory',
  subscribers: [
    on(settingEvents, 'SETTING_CHANGED', async (ctx, event) => {
      if (event.subject !== lowStockThreshold.key) return;
      const { thresholdChanged } = await import('./threshold.ts');
      await thresholdChanged(ctx);
    }),
  ],
} satisfies LocalPart;
