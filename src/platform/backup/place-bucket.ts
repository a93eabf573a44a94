import { isoTime } from '#kernel/clock.ts';
import type { BucketAddress } from '#kernel/config/storage-url.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { type Bucket, openBucket, readFromBucket } from '../storage/index.ts';
import type { BackupPlace } from './place-types.ts';

/** Backups in a bucket. */
export function bucketPlace(
  address: BucketAddress,
  credentials: { readonly id: string | undefined; readonly secret: string | undefined },
): BackupPlace {
  let opened: Promise<Bucket> | undefined;
  const bucket = (): Promise<Bucket> => (opened ??= openBucket(address, credentials));
  const folder = address.prefix === '' ? '' : `${address.prefix}/`;
  return {
    kind: 's3',
    display: `s3://${address.bucket}${folder === '' ? '' : `/${address.prefix}`}`,
    put: (name, file) => guarded(async () => (await bucket()).putFile(folder + name, file)),
    read: (name, range) => guarded(async () => read(await bucket(), folder + name, range)),
    list: (prefix = '') => list(bucket, folder, prefix),
    remove: (name) => guarded(async () => (await bucket()).remove(folder + name)),
  };
}

async function* list(bucket: () => Promise<Bucket>, folder: string, prefix: string) {
  const listed = (await guarded(bucket)).list(folder + prefix);
  const found = listed[Symbol.asyncIterator]();
  for (;;) {
    const next = await guarded(() => found.next());
    if (next.done) return;
    const { key, size, writtenMs } = next.value;
    yield { name: key.slice(folder.length), sizeBytes: size, modifiedAt: isoTime(writtenMs) };
  }
}

async function read(
  bucket: Bucket,
  key: string,
  range?: readonly [number, number],
): Promise<AsyncIterable<Uint8Array> | null> {
  const head = await bucket.head(key);
  if (head === null) return null;
  const [start, end] = range ?? [0, head.size - 1];
  return readFromBucket(bucket, key, head, [start, Math.min(end, head.size - 1)]);
}

/** What the storage says of a bucket, with the keys of this one. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    const own = (text: string): string =>
      text.replaceAll('storage.url', 'backup.dir').replaceAll('APPCTL_S3_', 'APPCTL_BACKUP_S3_');
    throw new StorageFailure(own(error.message), own(error.hint), error);
  }
}
