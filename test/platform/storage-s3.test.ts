import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { locationOf } from '#kernel/storage/location.ts';
import { type ObjectStorage, TooLarge } from '#kernel/storage/types.ts';
import { storageFailure } from '../../src/platform/storage/s3-failure.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { gather, inPieces, readAll, storeBytes } from '../support/stored.ts';

let server: S3Server;
let [here, there]: ObjectStorage[] = [];
beforeAll(async () => {
  server = await startS3Server();
  [here, there] = [server.node(urlOf()), server.node(urlOf())];
});
afterAll(() => server.close());

const urlOf = () => server.urlOf('bundles/releases');
const FUTURE = Date.parse('2100-01-01T00:00:00Z');
const one = () => here as ObjectStorage;
const other = () => there as ObjectStorage;

test('what one node keeps, the other opens, reads in parts and removes', async () => {
  const bytes = randomBytes(300_000);
  const location = await storeBytes(one(), bytes);
  expect(readdirSync(`${server.folder}/node-1/incoming`)).toEqual([]);
  const object = await other().open(location);
  expect(object?.size).toBe(bytes.length);
  for (const [start, end] of [
    [0, 299_999],
    [299_999, 299_999],
    [1000, 200_000],
  ] as const) {
    expect((await readAll(object, start, end)).equals(bytes.subarray(start, end + 1))).toBe(true);
  }
  await object?.close();
  await other().remove(location, Date.parse('2020-01-01T00:00:00Z'));
  expect(await one().open(location)).not.toBe(null);
  await other().remove(location, FUTURE);
  await other().remove(location, FUTURE);
  expect(await one().open(location)).toBe(null);
  await other().remove(location);
  expect(await one().open(location)).toBe(null);
});

test('the digest goes along with the bytes, and they lie below the prefix', async () => {
  const bytes = randomBytes(1000);
  const location = await storeBytes(one(), bytes);
  const whole = await server.node(server.urlOf('bundles')).open(location);
  expect(whole).toBe(null);
  expect(readdirSync(`${server.folder}/buckets/bundles/releases/bundles`)).toContain(location.slice(0, 2));
});

test('an object that was replaced has another state, and is not read as the old one', async () => {
  const bytes = randomBytes(1000);
  const location = await storeBytes(one(), bytes);
  const old = await other().open(location);
  await server.put(`bundles/releases/bundles/${location}`, randomBytes(1000));
  const now = await other().open(location);
  expect(now?.state).not.toBe(old?.state);
  await expect(readAll(old, 0, 999)).rejects.toThrow('changed while it was read');
});

test('the limit holds, and what is thrown away was never in the bucket', async () => {
  const bytes = randomBytes(100);
  await expect(one().stage(inPieces(bytes), 99)).rejects.toThrow(TooLarge);
  const staged = await one().stage(inPieces(bytes), 100);
  await staged.discard();
  expect(await one().open(locationOf(staged.sha256))).toBe(null);
  expect(readdirSync(`${server.folder}/node-1/incoming`)).toEqual([]);
  await one().stage(inPieces(bytes), 100);
  expect(await one().dropAbandoned(FUTURE)).toBe(1);
});

test('lists what is old enough and a location', async () => {
  const location = await storeBytes(one(), randomBytes(10));
  await server.put('bundles/releases/bundles/README', randomBytes(10));
  const listed = await gather(other().list(FUTURE));
  expect(listed).toContain(location);
  expect(listed.join()).not.toContain('README');
  expect(await gather(other().list(1000))).toEqual([]);
});

describe('probe', () => {
  test('writes, reads and leaves nothing', async () => {
    const before = await gather(one().list(FUTURE));
    await one().probe();
    expect(await gather(one().list(FUTURE))).toEqual(before);
    expect(JSON.stringify(readdirSync(`${server.folder}/buckets/bundles/releases/bundles`))).not.toContain(
      'probe',
    );
  });

  const failureOf = async (storage: ObjectStorage): Promise<StorageFailure> => {
    const failure = await storage.probe().then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StorageFailure);
    return failure as StorageFailure;
  };

  test('names a bucket that is not there; opening says it too, not that the object is missing', async () => {
    const storage = server.node(server.urlOf('nowhere'));
    expect(await failureOf(storage)).toMatchObject({
      message: `bucket nowhere was not found at ${server.endpoint} (NoSuchBucket, status 404)`,
      hint: expect.stringContaining('storage.url'),
    });
    await expect(storage.open(locationOf('ab'.repeat(32)))).rejects.toThrow('bucket nowhere was not found');
  });

  test('says that nobody knows the access key', async () => {
    const credentials = { id: 'NOBODY', secret: 'geheim' };
    const failure = await failureOf(server.node(urlOf(), credentials));
    expect(failure.message).toContain('does not know the access key (InvalidAccessKeyId, status 403)');
    expect(failure.hint).toContain('APPCTL_S3_SECRET_ACCESS_KEY');
    expect(`${failure.message}${failure.hint}`).not.toContain('geheim');
    await expect(server.node(urlOf(), credentials).open(locationOf('ab'.repeat(32)))).rejects.toThrow(
      'the credentials may not use the bucket',
    );
  });

  test('says that nobody answers', async () => {
    const port = await freePort();
    const failure = await failureOf(server.node(`s3://bundles?endpoint=http://127.0.0.1:${port}`));
    expect(failure.message).toBe(`http://127.0.0.1:${port} cannot be reached (ECONNREFUSED)`);
  });
});

// What this server cannot be brought to, in the words of Amazon's.
test.each([
  [
    { name: 'SignatureDoesNotMatch', $metadata: { httpStatusCode: 403 } },
    'the secret of the access key',
    'SECRET',
  ],
  [{ name: '403', $metadata: { httpStatusCode: 403 } }, 'may not use the bucket b (status 403)', 'PutObject'],
  [{ name: 'AuthorizationHeaderMalformed' }, 'the bucket b is not in region r', '?region='],
  [{ name: 'PreconditionFailed', $metadata: { httpStatusCode: 412 } }, 'changed while it was read', 'again'],
  [{ name: '301', $metadata: { httpStatusCode: 301 } }, 'the bucket b is not in region r', '?region='],
  [
    { name: 'CredentialsProviderError' },
    'the credentials of the bucket are missing',
    'APPCTL_S3_ACCESS_KEY_ID',
  ],
  [{ name: 'TimeoutError' }, 'Amazon S3 (r) does not answer in time', 'endpoint'],
  [
    { name: 'AggregateError', errors: [{ code: 'ECONNREFUSED' }] },
    'Amazon S3 (r) cannot be reached',
    'endpoint',
  ],
  [{ name: 'InternalError', $metadata: { httpStatusCode: 500 } }, '(InternalError, status 500)', 'endpoint'],
  ['odd', 'failed on the bucket b', 'endpoint'],
])('says what %j means', (error, message, hint) => {
  const failure = storageFailure(error, { bucket: 'b', prefix: '', region: 'r', endpoint: undefined });
  expect(failure.message).toContain(message);
  expect(failure.hint).toContain(hint);
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const listener = createServer().listen(0, '127.0.0.1', () => {
      const { port } = listener.address() as { port: number };
      listener.close(() => resolve(port));
    });
  });
