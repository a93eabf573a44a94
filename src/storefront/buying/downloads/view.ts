import type { DeliveredFile } from '#storefront/contract/extensions.ts';
import type { DownloadGrant } from './record.ts';

/** A grant as orders show it. */
export const deliveredFile = (grant: DownloadGrant): DeliveredFile => ({
  id: grant.id,
  orderItemId: grant.orderItemId,
  fileName: grant.fileName,
  bytes: grant.kind === 'upload' ? grant.bytes : null,
  sha256: grant.sha256,
  downloadsUsed: grant.downloadsUsed,
  maxDownloads: grant.maxDownloads,
  expiresAt: grant.expiresAt,
});
