import { capability } from '#kernel/capability.ts';
import { cartEndpoints } from './endpoints.store.ts';
import { expireCarts } from './jobs.ts';
import { cartLocal } from './local.ts';
import { cartCodeRecord, cartItemRecord, cartRecord } from './record.ts';

/** What shoppers collect before they order. */
export const shopCart = capability({
  ...cartLocal,
  storeEndpoints: cartEndpoints,
  records: [cartRecord, cartItemRecord, cartCodeRecord],
  jobs: [expireCarts],
});
