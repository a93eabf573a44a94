import type { StaffMail } from '#kernel/mail.ts';
import { defineMail } from '#platform/mail/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as repo from './repository.ts';

/** Staff hear of a license that could not be made or changed; what they read is why (fulfilment section 5). */
export const licenseProblemMail: StaffMail = {
  mail: defineMail({
    key: 'admin_license_problem',
    placeholders: ['order_number', 'reason', 'url'],
    sample: {
      order_number: '1001',
      reason: 'license product prd_01J9ZK3T5W8Y2QF4M6N7P0R1SV does not exist',
      url: 'https://shop.example/store/orders/ord_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
    },
    isForStaff: true,
  }),
  needs: 'orders:write',
  label: 'Missing licenses of orders',
  about: 'order',
  async values(ctx, id) {
    const order = await orders.findOrder(ctx, id);
    const mints = order === null ? [] : await repo.mintsOf(ctx, id);
    const problem = mints.find(({ error }) => error !== null);
    // It may have been made meanwhile.
    if (!order || !problem) return null;
    return {
      order_number: order.orderNumber ?? order.id,
      reason: problem.error ?? '',
      url: `${ctx.baseUrl}/store/orders/${order.id}`,
    };
  },
};
