import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { type BucketAddress, parseStorageUrl } from '#kernel/config/storage-url.ts';
import type { ObjectStorage } from '#kernel/storage/types.ts';
import type { Bucket, ObjectHead } from './s3-bucket.ts';

export type { Bucket } from './s3-bucket.ts';

/**
 * The storage of bundles, or of pictures, that a configuration names (decision 0024). Nothing is loaded, opened, made or asked before
 * the first use: most commands never come near a bundle.
 */
export function createStorage(
  config: Pick<Config, 'storage' | 'dataDir'>,
  kept: 'bundles' | 'media' = 'bundles',
): ObjectStorage {
  const { url, bundlesDir, mediaDir, s3AccessKeyId, s3SecretAccessKey } = config.storage;
  const address = parseStorageUrl(url);
  if (address === null)
    return onFirstUse('file', async () =>
      (await import('./local.ts')).localStorage(
        kept === 'media' ? mediaDir : bundlesDir,
        kept,
        config.dataDir,
      ),
    );
  const credentials = credentialsOf(s3AccessKeyId, s3SecretAccessKey);
  const incoming = join(config.dataDir, 'incoming');
  return onFirstUse('s3', async () =>
    (await import('./s3.ts')).bucketStorage(address, credentials, incoming, kept),
  );
}

function onFirstUse(kind: ObjectStorage['kind'], make: () => Promise<ObjectStorage>): ObjectStorage {
  let made: Promise<ObjectStorage> | undefined;
  const storage = (): Promise<ObjectStorage> => {
    made ??= make();
    return made;
  };
  return {
    kind,
    stage: async (source, maxBytes, leaveBytes) => (await storage()).stage(source, maxBytes, leaveBytes),
    open: async (location) => (await storage()).open(location),
    remove: async (location, olderThan) => (await storage()).remove(location, olderThan),
    async *list(olderThan) {
      yield* (await storage()).list(olderThan);
    },
    async *all(olderThan) {
      yield* (await storage()).all(olderThan);
    },
    dropAbandoned: async (olderThan) => (await storage()).dropAbandoned(olderThan),
    probe: async () => (await storage()).probe(),
  };
}

const credentialsOf = (accessKeyId: string | undefined, secretAccessKey: string | undefined) =>
  accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : null;

/** A bucket for something else than bundles and pictures. @param credentials none: those that the machine itself has */
export const openBucket = async (
  address: BucketAddress,
  credentials: { readonly id: string | undefined; readonly secret: string | undefined },
): Promise<Bucket> =>
  (await import('./s3-bucket.ts')).openBucket(address, credentialsOf(credentials.id, credentials.secret));

/** Reads bytes of an object, from the first up to and including the last one. */
export async function* readFromBucket(
  bucket: Bucket,
  key: string,
  head: ObjectHead,
  range: readonly [number, number],
): AsyncGenerator<Uint8Array> {
  yield* (await import('./s3.ts')).readObject(bucket, key, head, range);
}
