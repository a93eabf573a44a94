import type { StaffMail } from '#kernel/mail.ts';
import { defineMail } from '#platform/mail/index.ts';
import * as orders from '../orders/index.ts';
import * as repo from './repository.ts';

/** Somebody wants to send goods back (storefront-domain 14). */
export const returnRequestedStaffMail: StaffMail = {
  mail: defineMail({
    key: 'admin_return_requested',
    placeholders: ['return_number', 'order_number', 'buyer', 'url'],
    sample: {
      return_number: 'R1001',
      order_number: '1001',
      buyer: 'ann@example.com',
      url: 'https://shop.example/store/returns/ret_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
    },
    isForStaff: true,
  }),
  needs: 'orders:write',
  label: 'Requested returns',
  about: 'return',
  async values(ctx, id) {
    const one = await repo.findReturn(ctx, id);
    const order = one && (await orders.findOrder(ctx, one.orderId));
    // One that was approved by itself needs nobody.
    if (!one || !order || one.status !== 'requested') return null;
    return {
      return_number: one.returnNumber,
      order_number: order.orderNumber ?? '',
      buyer: order.email,
      url: `${ctx.baseUrl}/store/returns/${id}`,
    };
  },
};
