import type { StaffMail } from '#kernel/mail.ts';
import { defineMail } from '#platform/mail/index.ts';
import { lowStockThreshold } from '#storefront/contract/settings.ts';
import { availableOf, thresholdOf } from './level.ts';
import { levelRows } from './queries.ts';

/** The stock of a variant fell to its threshold (storefront-domain 14). */
export const lowStockMail: StaffMail = {
  mail: defineMail({
    key: 'admin_low_stock',
    placeholders: ['product', 'sku', 'available', 'threshold', 'url'],
    sample: {
      product: 'Stoneware mug',
      sku: 'MUG-1',
      available: '3',
      threshold: '5',
      url: 'https://shop.example/store/inventory/var_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
    },
    isForStaff: true,
  }),
  needs: 'inventory:write',
  label: 'Low stock',
  about: 'variant',
  async values(ctx, id) {
    const level = await levelRows.find(ctx, id);
    if (!level) return null;
    return {
      product: level.productTitle,
      sku: level.sku,
      available: String(availableOf(level)),
      threshold: String(thresholdOf(level, ctx.settings.get(lowStockThreshold))),
      url: `${ctx.baseUrl}/store/inventory/${id}`,
    };
  },
};
