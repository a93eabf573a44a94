// A real server that speaks S3, in this process: buckets are folders.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { ObjectStorage } from '#kernel/storage/types.ts';
import { createStorage } from '#platform/storage/index.ts';
import { scratchFolder } from './scratch-folder.ts';

type Listening = { run(): Promise<AddressInfo>; close(): Promise<void> };
type Server = new (options: Record<string, unknown>) => Listening;
const S3rver = createRequire(import.meta.url)('s3rver') as Server;

/** The one account that it knows. */
const ACCOUNT = 'S3RVER';

export type S3Server = {
  /** `http://127.0.0.1:PORT` */
  endpoint: string;
  /** Folder of what it holds. */
  folder: string;
  /** Value of `storage.url` for a bucket, `/prefix` included. */
  urlOf(bucket: string): string;
  /** The storage of one node; credentials other than the right ones when they are given. */
  node(
    url: string,
    credentials?: { id?: string; secret?: string } | null,
    kept?: 'bundles' | 'media',
  ): ObjectStorage;
  /** Puts bytes at `bucket/key`, as somebody else who may write there. */
  put(place: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

/** Starts it on a free port with the bucket `bundles`. */
export async function startS3Server(): Promise<S3Server> {
  const folder = scratchFolder('appctl-s3-');
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: `${folder}/buckets`,
    configureBuckets: [{ name: 'bundles' }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  let nodes = 0;
  return {
    endpoint,
    folder,
    urlOf: (bucket) => `s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}`,
    node: (url, credentials = {}, kept = 'bundles') => {
      nodes += 1;
      return createStorage(
        {
          dataDir: `${folder}/node-${nodes}`,
          storage: {
            url,
            s3AccessKeyId: credentials?.id ?? (credentials === null ? undefined : ACCOUNT),
            s3SecretAccessKey: credentials?.secret ?? (credentials === null ? undefined : ACCOUNT),
            bundlesDir: `${folder}/bundles`,
            mediaDir: `${folder}/media`,
          },
        },
        kept,
      );
    },
    put: async (place, bytes) => {
      const { S3Client, PutObjectCommand } = await import('@aws-sdk/client-s3');
      const credentials = { accessKeyId: ACCOUNT, secretAccessKey: ACCOUNT };
      const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
      const [Bucket = '', ...key] = place.split('/');
      await client.send(new PutObjectCommand({ Bucket, Key: key.join('/'), Body: bytes }));
      client.destroy();
    },
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
