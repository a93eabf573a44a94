export { isRenewable, type Renewal, renewalFor, requireRenewable } from './renewals.ts';
