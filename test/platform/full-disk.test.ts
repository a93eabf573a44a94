// Files that are sent while the disk has no room: what each surface answers (M24). What a disk does that fills on the way
// is played by the proof R16.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import { availableBytes, type DiskSize, disks } from '#kernel/storage/room.ts';
import { writeWorkingFile } from '#kernel/storage/working-file.ts';
import { checks } from '../../src/app/capabilities.ts';
import { signedProduct } from '../licensing/release-fixture.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { tokenIn } from '../support/browser.ts';
import { member, textOf } from './panel/staff.ts';

/** As if its disk had no free byte, unless a test says how many. */
const FULL = '/tmp/appctl-full-disk';
const { sizeOf, idOf } = disks;
const disk = { bytes: 0 };
const emptied = (size: DiskSize, folder: string): DiskSize =>
  folder.startsWith(FULL) ? { ...size, bavail: disk.bytes, bsize: 1 } : size;

const MIB = 1024 ** 2;

let app: TestApp;
beforeAll(async () => {
  mkdirSync(FULL, { recursive: true });
  vi.spyOn(disks, 'sizeOf').mockImplementation(async (folder) => emptied(await sizeOf(folder), folder));
  vi.spyOn(disks, 'idOf').mockImplementation(async (folder) => (folder.startsWith(FULL) ? -1 : idOf(folder)));
  app = await startApp({ env: { APPCTL_BUNDLES_DIR: FULL, APPCTL_MEDIA_DIR: FULL } });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await app.close();
  rmSync(FULL, { recursive: true, force: true });
});

const file = { headers: { 'Content-Type': 'application/octet-stream' }, body: Buffer.alloc(1000) };

it('the admin API answers 507 with the cure', async () => {
  const owner = await app.adminToken('owner');
  const { slug } = await signedProduct(app.ctx, 'editor');
  const draft = await app.admin('/releases', owner, { body: { productId: slug, version: '1.0.0' } });
  const path = `/releases/${draft.body.release?.id}/bundle`;
  const { status, body } = await app.admin(path, owner, { method: 'PUT', ...file });
  expect([status, body.error]).toEqual([
    507,
    {
      code: 'SERVER_ERROR',
      message: 'The disk of the server is nearly full: nothing was stored',
      details: { reason: 'DISK_FULL', hint: expect.stringContaining('free up space') },
    },
  ]);
});

it('the shop tells its staff which folder has no room', async () => {
  const { secret } = await app.adminToken('owner', { isInstanceWide: true });
  const headers = { ...file.headers, Authorization: `Bearer ${secret}` };
  const { status, body } = await app.send('/api/store/media', { method: 'POST', ...file, headers });
  expect([status, body.error_code, body.details?.reason]).toEqual([507, 'INTERNAL_ERROR', 'DISK_FULL']);
  expect(body.error).toContain(`only 0 B is free on the disk of ${FULL}; uploads need at least 200 MiB free`);
});

it('a file system that reports no sizes does not count as full', () => {
  expect(availableBytes({ blocks: 0, bavail: 0, bsize: 4096 })).toBe(Number.POSITIVE_INFINITY);
  expect(availableBytes({ blocks: 9, bavail: 0, bsize: 4096 })).toBe(0);
});

it('the check that the answer names says which disk it is', async () => {
  const check = checks.find(({ id }) => id === 'env.disk-space');
  const found = await check?.run({ config: app.instance.config } as CheckScope);
  expect([found?.status, found?.message, found?.hint]).toEqual([
    'fail',
    `0 MiB free on the disk of ${FULL}: bundles cannot be uploaded below 200 MiB`,
    'free up space, or set storage.bundles_dir to a larger disk',
  ]);
});

it('data leaves a server in which nothing is uploaded any more', async () => {
  const exports = join(FULL, 'exports');
  const write = (name: string, rows: AsyncIterable<string | Uint8Array>) =>
    writeWorkingFile(app.ctx, join(exports, name), rows);
  disk.bytes = 33 * MIB;
  try {
    expect((await write('one', Readable.from(['a row']))).size).toBe(5);
    const filling = async function* () {
      for (let count = 0; count < 5; count += 1) {
        if (count === 4) throw new Error('it went on');
        yield Buffer.alloc(2 * MIB);
        disk.bytes -= 2 * MIB;
      }
    };
    const words = 'exports and imports need at least 32 MiB free';
    await expect(write('two', filling())).rejects.toThrow(words);
    await expect(write('three', filling())).rejects.toThrow(words);
  } finally {
    disk.bytes = 0;
  }
  expect(readdirSync(exports)).toEqual(['one']);
});

it('a form shows a page that says so', async () => {
  const { browser } = await member(app);
  const _csrf = tokenIn((await browser.open('/store/media/upload')).text);
  const part = (head: string) => `--xx\r\nContent-Disposition: form-data; ${head}`;
  const { status, text } = await app.send('/store/media/upload', {
    method: 'POST',
    body: Buffer.from(
      `${part('name="_csrf"')}\r\n\r\n${_csrf}\r\n${part('name="pictures"; filename="a.png"')}\r\n\r\nx\r\n--xx--\r\n`,
    ),
    headers: {
      Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'Content-Type': 'multipart/form-data; boundary=xx',
    },
  });
  expect([status, textOf(text)]).toEqual([
    507,
    expect.stringContaining('The disk of the server is nearly full: nothing was stored'),
  ]);
});
