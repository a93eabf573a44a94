// What doctor finds in the picture storage, and repairs: files of no picture, and pictures without their sizes.
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Check, CheckScope } from '#kernel/check.ts';
import { partLocationOf } from '#kernel/storage/location.ts';
import { find, upload } from '#platform/media/index.ts';
import { rowFiles } from '../../src/app/backup/queries.ts';
import { checks } from '../../src/app/capabilities.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { another } from './store-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const checkOf = (id: string) => checks.find((one) => one.id === id) as Check & Required<Pick<Check, 'fix'>>;
const scope = (): CheckScope =>
  ({ opened: { ...app.instance, current: true }, namedFiles: rowFiles }) as Partial<CheckScope> as CheckScope;
const found = async (id: string) => (await checkOf(id).run(scope())).status;

async function picture() {
  const background = { r: another() % 256, g: 90, b: another() % 256 };
  const bytes = await sharp({ create: { width: 900, height: 600, channels: 3, background } })
    .jpeg()
    .toBuffer();
  const { id } = await upload(app.ctx, { source: Readable.from([bytes]), fileName: 'front.jpg' });
  await runJob(app.ctx, 'media-variants');
  const media = await find(app.ctx, id);
  expect(media?.status).toBe('ready');
  return media as NonNullable<typeof media>;
}

const keep = async (bytes: string, part?: string) => {
  const staged = await app.ctx.media.stage(Readable.from([Buffer.from(bytes)]), 1000);
  return staged.keep(part === undefined ? undefined : partLocationOf(staged.sha256, part));
};
const isStored = async (location: string) => {
  const object = await app.ctx.media.open(location);
  await object?.close();
  return object !== null;
};

it('sizes that are missing are made again', async () => {
  const media = await picture();
  expect(await found('media.missing-variants')).toBe('ok');
  const gone = media.variants?.medium.key ?? '';
  await app.ctx.media.remove(gone);
  expect(await checkOf('media.missing-variants').run(scope())).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('front.jpg'),
    hint: 'appctl doctor media.missing-variants --fix',
  });
  await checkOf('media.missing-variants').fix(scope());
  expect(await found('media.missing-variants')).toBe('ok');
  await runJob(app.ctx, 'media-variants');
  expect(await isStored(gone)).toBe(true);
});

it('files of no picture are removed; those of pictures and of uploads under way stay', async () => {
  const media = await picture();
  expect(await found('media.orphans')).toBe('ok');
  const part = (await keep('a part of nothing', 'medium')).location;
  const original = (await keep('an upload under way')).location;
  const told = async () => (await checkOf('media.orphans').run(scope())).message;
  expect(await told()).toContain('every stored file');
  // A day later nobody is going to make a picture of it. Files are stamped by the clock of the machine.
  const agoSeconds = Math.ceil((Date.now() - app.clock.epochMs()) / 1000);
  app.clock.advance(agoSeconds + 2 * 86_400);
  expect(await told()).toContain('2 files ');
  await checkOf('media.orphans').fix(scope());
  expect(await found('media.orphans')).toBe('ok');
  expect(await Promise.all([part, original, media.storageKey].map(isStored))).toEqual([false, false, true]);
  expect(await found('media.missing-variants')).toBe('ok');
});
