import { defineIds } from '#kernel/ids.ts';

/** Id prefixes of the license service's tables (D25). */
export const ids = defineIds({
  license: 'lic',
  activation: 'act',
  customer: 'cus',
  policy: 'pol',
  product: 'prd',
  release: 'rel',
  keyFormat: 'fmt',
  signingKey: 'sgk',
  integration: 'inb',
  productMapping: 'map',
  inboundEvent: 'ibe',
  licenseKey: 'lky',
  offlineToken: 'tok',
  abuseFlag: 'flg',
  honeypotHit: 'hit',
  usageRecord: 'use',
  dataJob: 'djb',
});
