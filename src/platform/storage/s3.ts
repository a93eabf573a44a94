import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BucketAddress } from '#kernel/config/storage-url.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { isLocation, isPartLocation, locationOf } from '#kernel/storage/location.ts';
import { asDiskFull, requireRoom } from '#kernel/storage/room.ts';
import type { ObjectStorage, StagedObject, StoredObject } from '#kernel/storage/types.ts';
import { dropOld, type Received, receive } from './receive.ts';
import { type Bucket, type BucketCredentials, type ObjectHead, openBucket } from './s3-bucket.ts';

/** More does not go into one request, and an object is either there as a whole or not at all. */
const MOST_BYTES = 5 * 1024 ** 3;

/**
 * Objects in a bucket that several nodes share, at `<prefix>/bundles/<location>` (decision 0024). Bytes are received
 * into a file of this machine first: a request to the bucket names their digest.
 *
 * @param credentials null for those that the machine itself has: variables of AWS, a role
 * @param incoming folder of files on their way
 * @param kept what lies there, in a folder of this name: `<prefix>/media/<location>`
 */
export function bucketStorage(
  address: BucketAddress,
  credentials: BucketCredentials | null,
  incoming: string,
  kept: 'bundles' | 'media' = 'bundles',
): ObjectStorage {
  let opened: Promise<Bucket> | undefined;
  const bucket = (): Promise<Bucket> => (opened ??= openBucket(address, credentials));
  const folder = address.prefix === '' ? `${kept}/` : `${address.prefix}/${kept}/`;
  const keyOf = (location: string): string => {
    if (!isLocation(location) && !isPartLocation(location)) throw new Error('not a location');
    return folder + location;
  };
  return {
    kind: 's3',
    async stage(source, maxBytes, leaveBytes) {
      await requireRoom(incoming, leaveBytes);
      const received = await receive(incoming, source, Math.min(maxBytes, MOST_BYTES)).catch(
        (error: unknown) => {
          throw asDiskFull(incoming, error);
        },
      );
      return staged(received, bucket, keyOf);
    },
    open: async (location) => openObject(await bucket(), keyOf(location)),
    remove: async (location, olderThan) => removeObject(await bucket(), keyOf(location), olderThan),
    list: (olderThan) => listObjects(bucket, folder, olderThan),
    all: (olderThan) => listAll(bucket, folder, olderThan),
    dropAbandoned: (olderThan) => dropOld(incoming, olderThan),
    probe: async () => probe(await bucket(), folder),
  };
}

/** How often in a row a connection may break without a byte having come. */
const READ_ATTEMPTS = 3;

function staged(
  { path, size, sha256, sha512 }: Received,
  bucket: () => Promise<Bucket>,
  keyOf: (location: string) => string,
): StagedObject {
  return {
    size,
    sha256,
    sha512,
    path,
    async keep(location = locationOf(sha256)) {
      await (await bucket()).put(keyOf(location), { open: () => createReadStream(path), size, sha256 });
      await rm(path, { force: true });
      return { location };
    },
    discard: () => rm(path, { force: true }),
  };
}

async function openObject(bucket: Bucket, key: string): Promise<StoredObject | null> {
  const head = await bucket.head(key);
  if (head === null) return null;
  return {
    size: head.size,
    state: head.state,
    read: (start, end) => readObject(bucket, key, head, [start, end]),
    close: async () => undefined,
  };
}

/** Goes on where a connection broke: a download that takes an hour outlives many of them. */
export async function* readObject(
  bucket: Bucket,
  key: string,
  head: ObjectHead,
  [start, end]: readonly [number, number],
): AsyncGenerator<Uint8Array> {
  let position = start;
  let attempt = 0;
  while (position <= end) {
    const body = await bucket.get(key, head, position, end);
    attempt += 1;
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        position += chunk.byteLength;
        attempt = 0;
        yield chunk;
      }
    } catch (error) {
      if (attempt >= READ_ATTEMPTS) throw error;
    } finally {
      body.destroy();
    }
    if (attempt >= READ_ATTEMPTS) throw new Error(`the object ends at byte ${position}, before byte ${end}`);
  }
}

async function removeObject(bucket: Bucket, key: string, olderThan?: number): Promise<void> {
  if (olderThan !== undefined) {
    const head = await bucket.head(key);
    if (head === null || head.writtenMs >= olderThan) return;
  }
  await bucket.remove(key);
}

async function* listObjects(
  bucket: () => Promise<Bucket>,
  folder: string,
  olderThan: number,
): AsyncGenerator<string> {
  for await (const { key, writtenMs } of (await bucket()).list(folder)) {
    const location = key.slice(folder.length);
    if (isLocation(location) && writtenMs < olderThan) yield location;
  }
}

async function* listAll(
  bucket: () => Promise<Bucket>,
  folder: string,
  olderThan = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  for await (const { key, writtenMs } of (await bucket()).list(folder)) {
    const location = key.slice(folder.length);
    if ((isLocation(location) || isPartLocation(location)) && writtenMs < olderThan) yield location;
  }
}

/** Writes, reads and deletes an object as all others are. */
async function probe(bucket: Bucket, folder: string): Promise<void> {
  const bytes = randomBytes(64);
  const key = `${folder}.probe-${randomBytes(8).toString('hex')}`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await bucket.put(key, { open: () => Readable.from([bytes]), size: bytes.length, sha256 });
  try {
    const head = await bucket.head(key);
    if (head === null)
      throw new StorageFailure('the bucket does not have the object that was just stored', SPEAKS_S3);
    const read: Uint8Array[] = [];
    for await (const chunk of readObject(bucket, key, head, [0, bytes.length - 1]))
      read.push(Buffer.from(chunk));
    if (!Buffer.concat(read).equals(bytes)) {
      throw new StorageFailure('the bucket returns different bytes than were stored', SPEAKS_S3);
    }
  } finally {
    await bucket.remove(key);
  }
}

const SPEAKS_S3 = 'use an S3-compatible service whose reads return the latest write';
