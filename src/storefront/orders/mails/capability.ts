import { capability } from '#kernel/capability.ts';
import { orderMails } from './mails.ts';
import { orderStaffMails } from './staff.ts';

/** What shoppers and staff are written about orders. */
export const shopOrderMails = capability({
  name: 'shop-order-mails',
  mails: orderMails,
  staffMails: orderStaffMails,
});
