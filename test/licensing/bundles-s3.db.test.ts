import { randomBytes } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import type { Ctx } from '#kernel/context.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { locationOf } from '#kernel/storage/location.ts';
import { openBundle, unpublishFile, verifyStored } from '#licensing/releases/bundles/index.ts';
import { type MadeBundle, releaseOf, sendBundle } from '../support/bundles.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { readAll } from '../support/stored.ts';

let t: TestContext;
let server: S3Server;
let [here, there]: Ctx[] = [];
beforeAll(async () => {
  [t, server] = await Promise.all([openTestContext(), startS3Server()]);
  [here, there] = [nodeAt(server.urlOf('bundles')), nodeAt(server.urlOf('bundles'))];
});
afterAll(async () => {
  await t.close();
  await server.close();
});

/** A node of its own over the same database and bucket. */
const nodeAt = (url: string): Ctx =>
  createContext({ ...t.runtime, storage: server.node(url), memory: new ProcessMemory() }, t.ctx.tenantId);
const one = () => here as Ctx;
const other = () => there as Ctx;

async function download(ctx: Ctx, bundle: MadeBundle, releaseId: string): Promise<Buffer> {
  const object = await openBundle(ctx, bundle, { releaseId, version: '1.2.3', filename: 'editor.bin' });
  return readAll(object, 0, object.size - 1);
}

test('what one node receives, the other serves; damage in the bucket is a 500 on both until it is sent again', async () => {
  const made = await sendBundle(one());
  const releaseId = await releaseOf(one(), made);
  expect((await download(other(), made, releaseId)).equals(made.bytes)).toBe(true);
  await server.put(`bundles/bundles/${locationOf(made.sha256)}`, randomBytes(made.size));
  for (const node of [one(), other()]) {
    for (let i = 0; i < 2; i += 1) {
      await expect(download(node, made, releaseId)).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    }
    expect(await verifyStored(node, made)).toBe('damaged');
  }
  const told = await t.eventsOf(releaseId);
  expect(told.map(({ type, data }) => [type, data.reason])).toEqual([
    ['RELEASE_BUNDLE_DAMAGED', 'damaged'],
    ['RELEASE_BUNDLE_DAMAGED', 'damaged'],
  ]);
  await sendBundle(other(), made.bytes);
  for (const node of [one(), other()]) {
    expect((await download(node, made, releaseId)).equals(made.bytes)).toBe(true);
  }
});

test('what one node deletes is missing on the other', async () => {
  const made = await sendBundle(one());
  await releaseOf(one(), made, 'YANKED');
  expect(await verifyStored(other(), made)).toBe('ok');
  expect(await unpublishFile(one(), made.sha256)).toBe(true);
  expect(await verifyStored(other(), made)).toBe('missing');
});

test('a download goes on when connections to the bucket break, and gives up when nothing comes any more', async () => {
  const made = await sendBundle(one(), randomBytes(900_000));
  const releaseId = await releaseOf(one(), made);
  const cutter = await startCutter(new URL(server.endpoint).port);
  try {
    const node = () => nodeAt(`s3://bundles?endpoint=http://127.0.0.1:${cutter.port}`);
    // Hashed and read, each in pieces of 300,000 bytes at most.
    cutter.allow(300_000);
    const read = await download(node(), made, releaseId);
    expect(read.equals(made.bytes)).toBe(true);
    expect(cutter.cuts()).toBeGreaterThanOrEqual(4);
    cutter.allow(100);
    await expect(download(node(), made, releaseId)).rejects.toBeInstanceOf(StorageFailure);
  } finally {
    cutter.close();
  }
});

/** Passes connections on and breaks each of them after so many bytes of answers. */
async function startCutter(to: string) {
  let [allowed, cuts] = [0, 0];
  const listener = createServer((client) => {
    let left = allowed;
    const upstream = connect(Number(to), '127.0.0.1');
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) return;
      cuts += 1;
      upstream.destroy();
      client.end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as { port: number }).port,
    allow: (bytes: number) => {
      allowed = bytes;
    },
    cuts: () => cuts,
    close: () => listener.close(),
  };
}
