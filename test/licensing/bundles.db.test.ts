import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import type { Ctx } from '#kernel/context.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { locationOf } from '#kernel/storage/location.ts';
import type { ObjectStorage } from '#kernel/storage/types.ts';
import {
  type BundleIdentity,
  holdBundle,
  openBundle,
  recordBundle,
  stageBundle,
  unpublishFile,
  verifyStored,
} from '#licensing/releases/bundles/index.ts';
import { type MadeBundle, releaseOf, sendBundle } from '../support/bundles.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { inPieces, readAll } from '../support/stored.ts';

let t: TestContext;
let ctx: Ctx;
beforeAll(async () => {
  t = await openTestContext();
  ctx = t.ctx;
});
afterAll(() => t.close());

const pathOf = ({ sha256 }: { sha256: string }) => join(t.runtime.dataDir, 'bundles', locationOf(sha256));
const rowOf = (sha256: string) =>
  t.database.db
    .knex('license_bundles')
    .where({ sha256 })
    .first('size', 'removed_at', 'claimed_at', 'touched_at');
const subjectOf = (releaseId: string) => ({ releaseId, version: '1.2.3', filename: 'editor.bin' });

/** A process of its own over the same database and storage. */
const anotherProcess = (storage: ObjectStorage = t.runtime.storage): Ctx =>
  createContext({ ...t.runtime, storage, memory: new ProcessMemory() }, ctx.tenantId);

async function download(of: Ctx, bundle: BundleIdentity, releaseId: string): Promise<Buffer> {
  const object = await openBundle(of, bundle, subjectOf(releaseId));
  try {
    return await readAll(object, 0, object.size - 1);
  } finally {
    await object.close();
  }
}

/** Other bytes of the same size, and the modification time put back. */
function falsify(path: string): void {
  const info = statSync(path);
  writeFileSync(path, randomBytes(info.size));
  utimesSync(path, info.atime, info.mtime);
}

describe('stageBundle', () => {
  test('413 VALIDATION_ERROR for one byte above the upload limit', async () => {
    const limit = ctx.uploadLimitBytes;
    await expect(stageBundle(ctx, inPieces(new Uint8Array(limit + 1), 1000))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      status: 413,
      details: { maxBytes: limit, hint: expect.stringContaining('http.upload_limit') },
    });
    const staged = await stageBundle(ctx, inPieces(new Uint8Array(limit)));
    expect(await rowOf(staged.sha256)).toBe(undefined);
    await staged.discard();
  });

  test('the row is there before the file, and one content has one of both', async () => {
    const bytes = randomBytes(500);
    const staged = await stageBundle(ctx, inPieces(bytes));
    await staged.keep();
    expect(await rowOf(staged.sha256)).toMatchObject({ removed_at: null, claimed_at: null });
    const { sha256 } = await sendBundle(ctx, bytes);
    expect(sha256).toBe(staged.sha256);
    expect(readFileSync(pathOf({ sha256 })).equals(bytes)).toBe(true);
    expect(Number((await rowOf(sha256))?.size)).toBe(500);
  });
});

describe('openBundle', () => {
  let made: MadeBundle;
  let releaseId: string;
  const damaged = async () => (await t.eventsOf(releaseId)).map(({ type, data }) => [type, data.reason]);
  const refused = {
    code: 'SERVER_ERROR',
    status: 500,
    message: 'the stored bundle differs from the published one',
  };

  beforeAll(async () => {
    made = await sendBundle(ctx);
    releaseId = await releaseOf(ctx, made);
  });

  test('reads what was sent, and hashes it once per state and process', async () => {
    const reads: number[] = [];
    const counting = anotherProcess({
      ...t.runtime.storage,
      open: async (location) => {
        const object = await t.runtime.storage.open(location);
        if (object === null) return null;
        const read = (start: number, end: number) => {
          reads.push(end);
          return object.read(start, end);
        };
        return { ...object, read };
      },
    });
    const all = await Promise.all([1, 2, 3, 4].map(() => openBundle(counting, made, subjectOf(releaseId))));
    expect(reads).toHaveLength(1);
    for (const object of all) {
      expect((await readAll(object, 0, made.size - 1)).equals(made.bytes)).toBe(true);
      await object.close();
    }
    await (await openBundle(counting, made, subjectOf(releaseId))).close();
    expect(reads).toHaveLength(5);
    utimesSync(pathOf(made), 1000, 1000);
    await (await openBundle(counting, made, subjectOf(releaseId))).close();
    expect(reads).toHaveLength(6);
    expect(await damaged()).toEqual([]);
  });

  test('changed on disk: 500, and one event per state and process', async () => {
    await download(ctx, made, releaseId);
    falsify(pathOf(made));
    for (let i = 0; i < 3; i += 1)
      await expect(download(ctx, made, releaseId)).rejects.toMatchObject(refused);
    expect(await t.eventsOf(releaseId)).toEqual([
      {
        type: 'RELEASE_BUNDLE_DAMAGED',
        data: { version: '1.2.3', filename: 'editor.bin', sha256: made.sha256, reason: 'damaged' },
      },
    ]);
    await expect(download(anotherProcess(), made, releaseId)).rejects.toMatchObject(refused);
    expect(await damaged()).toHaveLength(2);
    falsify(pathOf(made));
    await expect(download(ctx, made, releaseId)).rejects.toMatchObject(refused);
    expect(await damaged()).toHaveLength(3);
    expect(await verifyStored(ctx, made)).toBe('damaged');
  });

  test('the same bytes again repair it', async () => {
    await sendBundle(ctx, made.bytes);
    expect((await download(ctx, made, releaseId)).equals(made.bytes)).toBe(true);
    expect(await verifyStored(ctx, made)).toBe('ok');
    expect(await damaged()).toHaveLength(3);
  });

  test('cut off, empty or gone: 500 as well, and told again after a repair', async () => {
    const before = (await damaged()).length;
    for (const [spoil, reason] of [
      [() => truncateSync(pathOf(made), made.size - 1), 'damaged'],
      [() => truncateSync(pathOf(made), 0), 'damaged'],
      [() => rmSync(pathOf(made)), 'missing'],
      [() => rmSync(pathOf(made)), 'missing'],
    ] as const) {
      await sendBundle(ctx, made.bytes);
      await download(ctx, made, releaseId);
      spoil();
      await expect(download(ctx, made, releaseId)).rejects.toMatchObject(refused);
      expect(await verifyStored(ctx, made)).toBe(reason);
      expect((await damaged()).filter(([, told]) => told === reason).length).toBeGreaterThan(0);
    }
    expect(await damaged()).toHaveLength(before + 4);
    await sendBundle(ctx, made.bytes);
  });

  test('a storage that cannot be asked is no damage', async () => {
    const before = (await damaged()).length;
    const failure = new StorageFailure('nobody answers', 'wait');
    const away = anotherProcess({ ...t.runtime.storage, open: () => Promise.reject(failure) });
    await expect(download(away, made, releaseId)).rejects.toBe(failure);
    let breaks = true;
    const broken = anotherProcess({
      ...t.runtime.storage,
      open: async (location) => {
        const object = await t.runtime.storage.open(location);
        const read = () => {
          throw failure;
        };
        return object && breaks ? { ...object, read } : object;
      },
    });
    await expect(download(broken, made, releaseId)).rejects.toBe(failure);
    breaks = false;
    expect((await download(broken, made, releaseId)).equals(made.bytes)).toBe(true);
    expect(await damaged()).toHaveLength(before);
  });

  test('a file that changes while it is hashed is not taken for verified', async () => {
    const bundle = await sendBundle(ctx);
    const id = await releaseOf(ctx, bundle);
    const restless = anotherProcess({
      ...t.runtime.storage,
      open: async (location) => {
        const object = await t.runtime.storage.open(location);
        if (object === null) return null;
        async function* read(start: number, end: number) {
          yield* object?.read(start, end) ?? [];
          falsify(pathOf(bundle));
        }
        return { ...object, read };
      },
    });
    await expect(download(restless, bundle, id)).rejects.toMatchObject(refused);
  });
});

describe('unpublishFile', () => {
  test.each(['PUBLISHED', 'ARCHIVED'])(
    'leaves the file of a %s release, also of another tenant',
    async (state) => {
      const made = await sendBundle(ctx);
      await releaseOf(await t.otherTenant(), made, state);
      await releaseOf(ctx, made, 'YANKED');
      expect(await unpublishFile(ctx, made.sha256)).toBe(false);
      expect(await verifyStored(ctx, made)).toBe('ok');
    },
  );

  test('deletes that of a yanked one; nothing serves it before it was sent again', async () => {
    const made = await sendBundle(ctx);
    await releaseOf(ctx, made, 'YANKED');
    await ctx.tx((ctx) => holdBundle(ctx, made.sha256));
    expect(await unpublishFile(ctx, made.sha256)).toBe(true);
    expect(existsSync(pathOf(made))).toBe(false);
    expect(await rowOf(made.sha256)).toMatchObject({ removed_at: ctx.now(), claimed_at: null });
    const missing = { code: 'CONFLICT', details: { reason: 'FILE_MISSING', sha256: made.sha256 } };
    await expect(ctx.tx((ctx) => holdBundle(ctx, made.sha256))).rejects.toMatchObject(missing);
    await sendBundle(ctx, made.bytes);
    await ctx.tx((ctx) => holdBundle(ctx, made.sha256));
    expect(await verifyStored(ctx, made)).toBe('ok');
  });

  test('a content that no release has loses its row too; an unknown one is nothing', async () => {
    const made = await sendBundle(ctx);
    expect(await unpublishFile(ctx, made.sha256)).toBe(true);
    expect(await rowOf(made.sha256)).toBe(undefined);
    expect(await unpublishFile(ctx, made.sha256)).toBe(false);
  });

  test('an upload whose bytes were deleted before it was recorded has to send them again', async () => {
    const staged = await stageBundle(ctx, inPieces(randomBytes(100)));
    const { location } = await staged.keep();
    await unpublishFile(ctx, staged.sha256);
    await expect(ctx.tx((ctx) => recordBundle(ctx, staged, location))).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'CHANGED_MEANWHILE' },
    });
  });

  test('an upload waits while the same bytes are deleted, not for a process that died an hour ago', async () => {
    const made = await sendBundle(ctx);
    const failing = anotherProcess({
      ...t.runtime.storage,
      remove: () => Promise.reject(new Error('killed')),
    });
    await expect(unpublishFile(failing, made.sha256)).rejects.toThrow('killed');
    await expect(sendBundle(ctx, made.bytes)).rejects.toMatchObject({ code: 'CONFLICT' });
    // Whether they are gone is not known.
    await expect(unpublishFile(ctx, made.sha256)).rejects.toMatchObject({ code: 'CONFLICT' });
    t.clock.advance(3600);
    await expect(sendBundle(ctx, made.bytes)).rejects.toMatchObject({ code: 'CONFLICT' });
    t.clock.advance(1);
    await sendBundle(ctx, made.bytes);
    expect(await rowOf(made.sha256)).toMatchObject({ removed_at: null, claimed_at: null });
  });
});
