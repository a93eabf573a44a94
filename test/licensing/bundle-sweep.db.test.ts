import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import type { Ctx } from '#kernel/context.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { locationOf } from '#kernel/storage/location.ts';
import type { ObjectStorage } from '#kernel/storage/types.ts';
import { bundles } from '#licensing/releases/bundles/capability.ts';
import { unpublishFile, verifyStored } from '#licensing/releases/bundles/index.ts';
import { releaseOf, sendBundle } from '../support/bundles.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { inPieces } from '../support/stored.ts';

const DAY = 86_400;
let t: TestContext;
let ctx: Ctx;
beforeAll(async () => {
  t = await openTestContext();
  ctx = t.ctx;
  // Files have the times of the machine's own clock.
  t.clock.advance(Math.ceil((Date.now() - t.clock.epochMs()) / 1000));
});
afterAll(() => t.close());

const pathOf = ({ sha256 }: { sha256: string }) => join(t.runtime.dataDir, 'bundles', locationOf(sha256));
const rowOf = (sha256: string) =>
  t.database.db.knex('license_bundles').where({ sha256 }).first('removed_at', 'claimed_at');
const sweep = (of: Ctx = ctx) => bundles.jobs?.[0]?.run(of) as Promise<Record<string, number>>;
const step = async (seconds: number) => {
  t.clock.advance(seconds);
  return sweep();
};

/** A process of its own over the same database and storage. */
const anotherProcess = (storage: ObjectStorage = t.runtime.storage): Ctx =>
  createContext({ ...t.runtime, storage, memory: new ProcessMemory() }, ctx.tenantId);

test('a content that no release has is marked after a day and gone after two', async () => {
  const [unused, used] = [await sendBundle(ctx), await sendBundle(ctx)];
  await releaseOf(ctx, used, 'DRAFT');
  expect(await step(DAY)).toMatchObject({ marked: 0, removed: 0 });
  expect(await step(1)).toMatchObject({ marked: 1, removed: 0 });
  expect(existsSync(pathOf(unused))).toBe(true);
  expect(await step(DAY)).toMatchObject({ marked: 0, removed: 0 });
  expect(await step(1)).toMatchObject({ removed: 1, failed: 0 });
  expect([existsSync(pathOf(unused)), await rowOf(unused.sha256)]).toEqual([false, undefined]);
  expect(await verifyStored(ctx, used)).toBe('ok');
  expect(await rowOf(used.sha256)).toMatchObject({ removed_at: null });
});

test('an upload of the same bytes takes the mark away', async () => {
  const made = await sendBundle(ctx);
  await step(DAY + 1);
  expect((await rowOf(made.sha256))?.removed_at).not.toBe(null);
  t.clock.advance(DAY + 1);
  await sendBundle(ctx, made.bytes);
  expect(await sweep()).toMatchObject({ removed: 0 });
  expect(await verifyStored(ctx, made)).toBe('ok');
  await releaseOf(ctx, made);
});

test('one that cannot be deleted is counted, logged and tried again an hour later', async () => {
  const made = [await sendBundle(ctx), await sendBundle(ctx)];
  await step(DAY + 1);
  t.clock.advance(DAY + 1);
  const [stuck = '', other = ''] = made.map(({ sha256 }) => sha256).sort();
  const failing = anotherProcess({
    ...t.runtime.storage,
    remove: (location) =>
      location === locationOf(stuck) ? Promise.reject(new Error('no')) : t.runtime.storage.remove(location),
  });
  expect(await sweep(failing)).toMatchObject({ removed: 1, failed: 1 });
  expect([await rowOf(other), existsSync(pathOf({ sha256: stuck }))]).toEqual([undefined, true]);
  expect(await step(3600)).toMatchObject({ removed: 0, failed: 0 });
  expect(await step(1)).toMatchObject({ removed: 1, failed: 0 });
  expect(await rowOf(stuck)).toBe(undefined);
});

test('finishes what a process that died was deleting for a yanked release', async () => {
  const made = await sendBundle(ctx);
  await releaseOf(ctx, made, 'YANKED');
  const failing = anotherProcess({
    ...t.runtime.storage,
    remove: () => Promise.reject(new Error('killed')),
  });
  await expect(unpublishFile(failing, made.sha256)).rejects.toThrow('killed');
  expect(await step(3601)).toMatchObject({ removed: 1 });
  expect(existsSync(pathOf(made))).toBe(false);
  expect((await rowOf(made.sha256))?.claimed_at).toBe(null);
  expect(await step(3 * DAY)).toMatchObject({ removed: 0 });
});

test('abandoned uploads go after a day, files that no row knows after thirty', async () => {
  const stray = await t.runtime.storage.stage(inPieces(randomBytes(50)), 50);
  await stray.keep();
  await t.runtime.storage.stage(inPieces(randomBytes(50)), 50);
  const age = (ms: number) => Math.ceil((Date.now() + ms - t.clock.epochMs()) / 1000);
  t.clock.advance(Math.max(0, age(DAY * 1000)));
  expect((await sweep()).unknown).toBe(0);
  t.clock.advance(Math.max(1, age(31 * DAY * 1000)));
  expect((await sweep()).unknown).toBe(1);
  expect(existsSync(pathOf(stray))).toBe(false);
  expect(await rowOf(stray.sha256)).toBe(undefined);
});

test('beside uploads of the same bytes, what was recorded is there', async () => {
  const bytes = randomBytes(300);
  // By the test's clock every file that is on its way has been there for days.
  const sweeper = anotherProcess({ ...t.runtime.storage, dropAbandoned: async () => 0 });
  let recorded = 0;
  // Who is faster is chance: it goes on until the upload was.
  for (let round = 0; round < 10 || recorded === 0; round += 1) {
    const { sha256, size } = await sendBundle(ctx, bytes).catch(() => ({ sha256: '', size: 0 }));
    if (sha256 === '') {
      t.clock.advance(3601);
      continue;
    }
    for (const work of [() => sweep(sweeper), () => undefined]) {
      t.clock.advance(DAY + 1);
      await work();
    }
    const [, sent] = await Promise.allSettled([sweep(sweeper), sendBundle(anotherProcess(), bytes)]);
    if (sent.status === 'rejected') {
      expect(sent.reason).toMatchObject({ code: 'CONFLICT' });
      continue;
    }
    recorded += 1;
    expect(await verifyStored(ctx, { sha256, size })).toBe('ok');
    expect(await rowOf(sha256)).toMatchObject({ removed_at: null, claimed_at: null });
  }
});
