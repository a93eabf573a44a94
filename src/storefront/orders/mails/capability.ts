import { capability } from '#kernel/capability.ts';
import { orderMails } from './mails.ts';

/** What shoppers are written about their orders. */
export const shopOrderMails = capability({ name: 'shop-order-mails', mails: orderMails });
