import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { parseStorageUrl } from '#kernel/config/storage-url.ts';
import type { ObjectStorage } from '#kernel/storage/types.ts';

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
      (await import('./local.ts')).localStorage(kept === 'media' ? mediaDir : bundlesDir, kept),
    );
  const credentials =
    s3AccessKeyId !== undefined && s3SecretAccessKey !== undefined
      ? { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey }
      : null;
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
    stage: async (source, maxBytes) => (await storage()).stage(source, maxBytes),
    open: async (location) => (await storage()).open(location),
    remove: async (location) => (await storage()).remove(location),
    async *list(olderThan) {
      yield* (await storage()).list(olderThan);
    },
    dropAbandoned: async (olderThan) => (await storage()).dropAbandoned(olderThan),
    probe: async () => (await storage()).probe(),
  };
}
