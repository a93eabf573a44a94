import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { sleep } from '#kernel/clock.ts';
import type { BucketAddress } from '#kernel/config/storage-url.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { storageFailure } from './s3-failure.ts';
import type { SentFile } from './s3-multipart.ts';

export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What an object of a bucket is at one moment. */
export interface ObjectHead {
  readonly size: number;
  readonly etag: string;
  /** Another text for other bytes. */
  readonly state: string;
  /** Unix milliseconds; infinity where the service does not report it. */
  readonly writtenMs: number;
}

/** Bytes to send; their digest goes along, and the service refuses others. */
export interface Content {
  /** Opened for each attempt, and closed after it. */
  readonly open: () => Readable;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** One bucket; every failure is a StorageFailure. */
export interface Bucket {
  put(key: string, content: Content): Promise<void>;
  /** As `put`, for a file of any size: a large one goes in parts. */
  putFile(key: string, file: SentFile): Promise<void>;
  head(key: string): Promise<ObjectHead | null>;
  /** A part of the object that `head` described; other bytes are refused. */
  get(key: string, head: ObjectHead, start: number, end: number): Promise<Readable>;
  remove(key: string): Promise<void>;
  /** Keys below a prefix, with the time of the last writing in Unix milliseconds. */
  list(prefix: string): AsyncIterable<{ key: string; writtenMs: number; size: number }>;
}

/** Without any byte for so long a connection is given up; the transfer as a whole may take its time. */
const IDLE_MS = 60_000;
const CONNECT_MS = 5000;

/** Of a client in one process: each download holds a connection for as long as it lasts. */
const MOST_CONNECTIONS = 500;

/** How often one content is sent; the client itself repeats all requests that have no body. */
const PUT_ATTEMPTS = 3;
/** Before the second attempt, and four times that before the third: a service in trouble needs a moment. */
const PUT_PAUSE_MS = 100;

const nothing = (): void => undefined;
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Loads the client, which takes long and is seldom needed, and points it at the bucket. */
export async function openBucket(
  address: BucketAddress,
  credentials: BucketCredentials | null,
): Promise<Bucket> {
  const s3 = await import('@aws-sdk/client-s3');
  const client = new s3.S3Client({
    region: address.region,
    ...(address.endpoint !== undefined && { endpoint: address.endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // A digest is named where there is one; services other than Amazon's refuse what the client adds by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // Left to itself it writes to stderr, beside what is thrown.
    logger: SILENT,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      httpAgent: { keepAlive: true, maxSockets: MOST_CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: MOST_CONNECTIONS },
    },
  });
  const asked = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw storageFailure(error, address);
    });
  const { bucket: Bucket } = address;
  return {
    put: (Key, content) => asked(put(s3, client, { Bucket, Key }, content)),
    putFile: async (Key, file) => {
      const { putInParts, SMALLEST_IN_PARTS } = await import('./s3-multipart.ts');
      const { path, size, sha256 } = file;
      await asked(
        size < SMALLEST_IN_PARTS
          ? put(s3, client, { Bucket, Key }, { open: () => createReadStream(path), size, sha256 })
          : putInParts(s3, client, { Bucket, Key }, file),
      );
    },
    head: (Key) => asked(head(s3, client, { Bucket, Key })),
    get: (Key, of, start, end) => asked(get(s3, client, { Bucket, Key }, of, [start, end])),
    remove: async (Key) => {
      await asked(client.send(new s3.DeleteObjectCommand({ Bucket, Key })));
    },
    list: (prefix) => list(s3, client, { Bucket, Prefix: prefix }, asked),
  };
}

type S3 = typeof import('@aws-sdk/client-s3');

interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** A stream cannot be sent twice, so the client does not repeat this request: it is made anew. */
async function put(s3: S3, client: S3Client, place: Place, content: Content): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const body = content.open();
    try {
      await client.send(
        new s3.PutObjectCommand({
          ...place,
          Body: body,
          ContentLength: content.size,
          ContentType: 'application/octet-stream',
          ChecksumSHA256: Buffer.from(content.sha256, 'hex').toString('base64'),
        }),
      );
      return;
    } catch (error) {
      if (attempt === PUT_ATTEMPTS || !isWorthRepeating(error)) throw error;
    } finally {
      body.destroy();
    }
    await sleep(PUT_PAUSE_MS * 4 ** (attempt - 1));
  }
}

/** The network, or a service in trouble; what was refused is refused again. */
function isWorthRepeating(error: unknown): boolean {
  const { $metadata, $response } = error as {
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  return status === undefined || status >= 500 || status === 429;
}

async function head(s3: S3, client: S3Client, place: Place): Promise<ObjectHead | null> {
  try {
    const found = await client.send(new s3.HeadObjectCommand(place));
    const { ContentLength: size, ETag: etag, VersionId: version, LastModified: written } = found;
    if (size === undefined || etag === undefined) throw new StorageFailure(UNSPEAKABLE, SPEAKS_S3);
    const state = [etag, version ?? '', size, written?.getTime() ?? ''].join(':');
    return { size, etag, state, writtenMs: written?.getTime() ?? Number.POSITIVE_INFINITY };
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
  // The same answer says that there is no bucket.
  await client.send(new s3.ListObjectsV2Command({ Bucket: place.Bucket, Prefix: place.Key, MaxKeys: 1 }));
  return null;
}

const UNSPEAKABLE = 'the service of storage.url reports neither size nor ETag of objects';
const SPEAKS_S3 = 'use an S3-compatible service';

async function get(
  s3: S3,
  client: S3Client,
  place: Place,
  { etag }: ObjectHead,
  [start, end]: readonly [number, number],
): Promise<Readable> {
  const part = { Range: `bytes=${start}-${end}`, IfMatch: etag };
  const found = await client.send(new s3.GetObjectCommand({ ...place, ...part }));
  const body = found.Body as Readable;
  // Not every service heeds If-Match and Range.
  if (found.ETag === etag && found.ContentLength === end - start + 1) return body;
  body.destroy();
  throw new StorageFailure('the object in the bucket changed while it was read', 'try again');
}

async function* list(
  s3: S3,
  client: S3Client,
  place: { Bucket: string; Prefix: string },
  asked: <T>(work: Promise<T>) => Promise<T>,
): AsyncGenerator<{ key: string; writtenMs: number; size: number }> {
  let token: string | undefined;
  do {
    const page = { ...place, ...(token !== undefined && { ContinuationToken: token }) };
    const found = await asked(client.send(new s3.ListObjectsV2Command(page)));
    for (const { Key: key, LastModified: written, Size: size = 0 } of found.Contents ?? []) {
      if (key !== undefined && written !== undefined) yield { key, writtenMs: written.getTime(), size };
    }
    token = found.IsTruncated ? found.NextContinuationToken : undefined;
  } while (token !== undefined);
}

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
