export { isRenewable, type Renewal, renewalFor } from './renewals.ts';
