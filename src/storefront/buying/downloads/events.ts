import { change, defineEvents } from '#kernel/events.ts';
import { type DownloadGrant, downloadGrantRecord } from './record.ts';

type Told = Pick<DownloadGrant, 'orderId' | 'fileName' | 'maxDownloads' | 'expiresAt'>;

/** What staff do to files that were bought. */
export const downloadEvents = defineEvents(
  'store',
  { 'download.extended': change<Told>(), 'download.given': change<{ readonly files: number }>() },
  { target: 'shop-order-downloads', record: downloadGrantRecord },
);
