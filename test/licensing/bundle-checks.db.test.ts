import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import type { CheckScope } from '#kernel/check.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { locationOf } from '#kernel/storage/location.ts';
import type { ObjectStorage } from '#kernel/storage/types.ts';
import { bundles } from '#licensing/releases/bundles/capability.ts';
import { openBundle, unpublishFile, verifyStored } from '#licensing/releases/bundles/index.ts';
import { releaseOf, sendBundle } from '../support/bundles.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

const pathOf = ({ sha256 }: { sha256: string }) => join(t.runtime.dataDir, 'bundles', locationOf(sha256));
/** A process over another storage. */
const ofItsOwn = (storage: ObjectStorage) =>
  createContext({ ...t.runtime, storage, memory: new ProcessMemory() }, t.ctx.tenantId);
const check = async (ctx = t.ctx) => {
  const opened = { ctx, database: t.database, migrator: null, current: true };
  return bundles.checks
    ?.find(({ id }) => id === 'releases.files-present')
    ?.run({ opened } as unknown as CheckScope);
};

test('releases.files-present is red for a bundle of any tenant that is gone or changed, green when it is back', async () => {
  const { ctx } = t;
  expect(await check()).toEqual({ status: 'ok', message: 'no release is published' });
  const [made, other, yanked] = [await sendBundle(ctx), await sendBundle(ctx), await sendBundle(ctx)];
  const mine = await releaseOf(ctx, made, 'ARCHIVED');
  const theirs = await releaseOf(await t.otherTenant(), other);
  await releaseOf(ctx, yanked, 'YANKED');
  await unpublishFile(ctx, yanked.sha256);
  const green = { status: 'ok', message: 'stored bundles with the published digest: 2' };
  expect(await check()).toEqual(green);
  const { atime, mtime } = statSync(pathOf(made));
  const flipped = readFileSync(pathOf(made));
  flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0);
  writeFileSync(pathOf(made), flipped);
  utimesSync(pathOf(made), atime, mtime);
  rmSync(pathOf(other));
  const found = await check();
  expect(found).toMatchObject({ status: 'fail', hint: expect.stringContaining('appctl release upload') });
  expect(found?.message).toContain(`1.2.3 (${mine}) is damaged`);
  expect(found?.message).toContain(`1.2.3 (${theirs}) is missing`);
  const failure = new StorageFailure('nobody answers', 'wait');
  const storage = { ...t.runtime.storage, open: () => Promise.reject(failure) };
  expect(await check(ofItsOwn(storage))).toEqual({ status: 'fail', message: 'nobody answers', hint: 'wait' });
  await sendBundle(ctx, made.bytes);
  await sendBundle(ctx, other.bytes);
  expect(await check()).toEqual(green);
});

test('a download is not damage because others verify the same bytes again and again meanwhile', async () => {
  const { ctx } = t;
  const made = await sendBundle(ctx);
  const releaseId = await releaseOf(ctx, made);
  const begun: (() => void)[] = [];
  let opens = 0;
  const gated = ofItsOwn({
    ...t.runtime.storage,
    open: async (location) => {
      const object = await t.runtime.storage.open(location);
      if (object === null) return null;
      async function* read(start: number, end: number) {
        await new Promise<void>((go) => begun.push(go));
        yield* object?.read(start, end) ?? [];
      }
      opens += 1;
      return { ...object, read };
    },
  });
  const opening = openBundle(gated, made, { releaseId, version: '1.2.3', filename: 'a' });
  await vi.waitFor(() => expect(begun).toHaveLength(1));
  const verified = [verifyStored(gated, made)];
  await vi.waitFor(() => expect(begun).toHaveLength(2));
  begun[0]?.();
  // It looks again, and would wait for the readings of the others.
  await vi.waitFor(() => expect(opens).toBe(3));
  verified.push(verifyStored(gated, made));
  await vi.waitFor(() => expect(begun).toHaveLength(3));
  begun[1]?.();
  await vi.waitFor(() => expect(opens).toBeGreaterThan(4));
  begun[2]?.();
  await (await opening).close();
  expect(await Promise.all(verified)).toEqual(['ok', 'ok']);
  expect(await t.eventsOf(releaseId)).toEqual([]);
});
