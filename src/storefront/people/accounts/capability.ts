import { capability } from '#kernel/capability.ts';
import { accountMails } from './mails.ts';

/** Accounts of customers: how they register and sign in. */
export const shopAccounts = capability({ name: 'shop-accounts', mails: accountMails });
