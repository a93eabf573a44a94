import type { Config } from '#kernel/config/config.ts';
import { parseStorageUrl, storageFolder } from '#kernel/config/storage-url.ts';
import type { BackupPlace } from './place-types.ts';

export type { BackupPlace } from './place-types.ts';

type Placed = Pick<Config, 'backup' | 'storage'>;

/** The folder of `backup.dir`; null for a bucket. */
export const backupFolder = ({ backup: { dir } }: Pick<Config, 'backup'>): string | null =>
  dir.startsWith('s3:') ? null : (storageFolder(dir) ?? dir);

/** The place that a configuration names. Nothing is opened or made before the first use. */
export async function openBackupPlace(config: Placed): Promise<BackupPlace> {
  const folder = backupFolder(config);
  if (folder !== null) return (await import('./place-folder.ts')).folderPlace(folder);
  const address = parseStorageUrl(config.backup.dir);
  if (address === null) throw new Error('backup.dir is neither a folder nor a bucket');
  const { s3AccessKeyId, s3SecretAccessKey } = config.backup;
  const credentials =
    s3AccessKeyId === undefined && s3SecretAccessKey === undefined
      ? { id: config.storage.s3AccessKeyId, secret: config.storage.s3SecretAccessKey }
      : { id: s3AccessKeyId, secret: s3SecretAccessKey };
  return (await import('./place-bucket.ts')).bucketPlace(address, credentials);
}
