import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { SECONDS_PER_DAY, systemClock } from '#kernel/clock.ts';

/** A file to send. */
export interface SentFile {
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

type S3 = typeof import('@aws-sdk/client-s3');
interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** Smaller ones go in one request, whose digest the service checks. */
export const SMALLEST_IN_PARTS = 64 * 1024 ** 2;
/** In memory at a time; the service takes at most 10,000 of them. */
const LEAST_PART_BYTES = 16 * 1024 ** 2;
const MOST_PARTS = 10_000;
const OLD_MS = SECONDS_PER_DAY * 1000;

/**
 * Sends a file in parts; the object is there once all of them are. What a program that died has begun for the same
 * folder is thrown away.
 */
export async function putInParts(s3: S3, client: S3Client, place: Place, file: SentFile): Promise<void> {
  await dropAbandoned(s3, client, place);
  const { UploadId } = await client.send(
    new s3.CreateMultipartUploadCommand({ ...place, ContentType: 'application/octet-stream' }),
  );
  const upload = { ...place, UploadId };
  try {
    const Parts = await sendParts(s3, client, upload, file);
    await client.send(new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  } catch (error) {
    await client.send(new s3.AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

async function sendParts(
  s3: S3,
  client: S3Client,
  upload: Place & { readonly UploadId: string | undefined },
  { path, size, sha256 }: SentFile,
) {
  const partBytes = Math.max(LEAST_PART_BYTES, Math.ceil(size / MOST_PARTS));
  const buffer = Buffer.alloc(partBytes);
  const sum = createHash('sha256');
  const parts: { ETag: string | undefined; PartNumber: number }[] = [];
  const file = await open(path, 'r');
  try {
    for (let start = 0; start < size; start += partBytes) {
      const length = Math.min(partBytes, size - start);
      const { bytesRead } = await file.read(buffer, 0, length, start);
      if (bytesRead !== length) throw new Error(`${path} ends at byte ${start + bytesRead}`);
      const Body = buffer.subarray(0, length);
      sum.update(Body);
      const PartNumber = parts.length + 1;
      const ContentMD5 = createHash('md5').update(Body).digest('base64');
      const { ETag } = await client.send(
        new s3.UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: length, ContentMD5 }),
      );
      parts.push({ ETag, PartNumber });
    }
  } finally {
    await file.close();
  }
  if (sum.digest('hex') !== sha256) throw new Error(`${path} changed while it was sent`);
  return parts;
}

/** Not every service lists them. */
async function dropAbandoned(s3: S3, client: S3Client, { Bucket, Key }: Place): Promise<void> {
  const Prefix = Key.slice(0, Key.lastIndexOf('/') + 1);
  try {
    const { Uploads = [] } = await client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix }));
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (Initiated === undefined || Initiated.getTime() > systemClock.epochMs() - OLD_MS) continue;
      await client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    }
  } catch {
    // They cost money, and nothing else.
  }
}
