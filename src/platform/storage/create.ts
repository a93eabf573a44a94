import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { parseStorageUrl } from '#kernel/config/storage-url.ts';
import type { ObjectStorage } from '#kernel/storage/types.ts';
import { localStorage } from './local.ts';
import { bucketStorage } from './s3.ts';

/**
 * The storage of bundles that a configuration names (decision 0024). Nothing is opened, made or asked before the first
 * use.
 */
export function createStorage(config: Pick<Config, 'storage' | 'dataDir'>): ObjectStorage {
  const { url, bundlesDir, s3AccessKeyId, s3SecretAccessKey } = config.storage;
  const address = parseStorageUrl(url);
  if (address === null) return localStorage(bundlesDir);
  const credentials =
    s3AccessKeyId !== undefined && s3SecretAccessKey !== undefined
      ? { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey }
      : null;
  return bucketStorage(address, credentials, join(config.dataDir, 'incoming'));
}
