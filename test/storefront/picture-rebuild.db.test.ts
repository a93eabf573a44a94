// Pictures made anew: all of them at once, and those of which nothing could be made.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listProcessing } from '#platform/media/repository.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
let token: string;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
  token = (await app.adminToken('owner')).secret;
});
afterAll(() => app.close());

const render = () => runJob(app.ctx, 'media-variants');
const table = () => app.ctx.db.knex('media');
/** Changes rows as nothing of the program would. */
const put = (work: (rows: ReturnType<typeof table>) => PromiseLike<unknown>) =>
  app.ctx.tx(async ({ db }) => void (await work(db.knex('media'))));
const drawn = () =>
  sharp({ create: { width: 40, height: 30 + another(), channels: 3, background: '#336699' } });

async function upload(body: Uint8Array, fileName = 'mug.png'): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' };
  const sent = await app.send(`/api/store/media?file_name=${fileName}`, { method: 'POST', body, headers });
  return (sent.body.data as unknown as { id: string }).id;
}
const picture = async () => upload(await drawn().png().toBuffer());

/** One that is taken, and of which nothing can be made: only a decoder sees that its pixels are damaged. */
async function damaged(): Promise<string> {
  const bytes = await drawn().webp({ lossless: true }).toBuffer();
  bytes.fill(0xff, bytes.indexOf('VP8L') + 14);
  const id = await upload(bytes, 'broken.webp');
  await render();
  return id;
}

/** Rows of pictures that are there already, without their files: what is marked is a matter of rows. */
async function many(count: number): Promise<void> {
  const row = await table()
    .where({ id: await picture() })
    .first();
  await render();
  const copy = (at: number) => {
    const digits = String(at).padStart(26, '0');
    return { ...row, id: `med_${digits}`, sha256: digits.padStart(64, '0'), status: 'ready' };
  };
  for (let from = 0; from < count; from += 50)
    await put((rows) =>
      rows.insert(Array.from({ length: Math.min(50, count - from) }, (_, at) => copy(from + at))),
    );
}

it('makes the sizes of every picture anew when asked, and shows the old ones until then', async () => {
  const id = await picture();
  await render();
  const before = await client.data(`/media/${id}`);
  await client.data(`/media/${id}/regenerate`, 'POST', { quality: 5 });
  await render();
  const asked = await client.send('/media/rebuild', 'POST');
  expect(asked.status).toBe(202);
  expect(asked.body.data).toMatchObject({
    processing: expect.any(Number),
    task: { status: 'DONE', error: null },
  });
  expect(await client.data(`/media/${id}`)).toMatchObject({
    status: 'processing',
    variants: expect.any(Object),
  });
  await render();
  const after = await client.data(`/media/${id}`);
  expect(after.status).toBe('ready');
  // It keeps the quality that it was given.
  expect(after.variants).not.toEqual(before.variants);
  expect((await table().where({ id }).first()).quality).toBe(5);
  const logged = await app.ctx.db.knex('audit_log').where({ action: 'MEDIA_REBUILD_STARTED' });
  expect(logged).toHaveLength(1);
});

it('marks more than one batch, says how many wait, and makes first what nobody can see yet', async () => {
  await many(260);
  const page = await browser.open('/store/media/rebuild');
  const pictures = Number((await table().count('* as count').first())?.count);
  expect(textOf(page.text)).toContain(`Rebuild ${pictures} pictures`);
  expect((await browser.submit('/store/media/rebuild', {})).status).toBe(303);
  expect(await table().whereNot({ status: 'processing' })).toEqual([]);
  const running = await browser.open('/store/media/rebuild');
  expect(textOf(running.text)).toContain(`${pictures} pictures of ${pictures} are still being processed`);
  expect((await browser.open('/store/media')).text).toContain('href="/store/media/rebuild"');
  await put((rows) => rows.update({ status: 'ready' }));
  const old = await table().whereNotNull('variants').orderBy('created_at').first('id');
  await put((rows) => rows.where({ id: old.id }).update({ status: 'processing' }));
  const fresh = await picture();
  expect((await listProcessing(app.ctx, 2)).map(({ id }) => id)).toEqual([fresh]);
  await render();
  expect(await table().where({ status: 'processing' })).toEqual([]);
  await put((rows) => rows.where('id', 'like', 'med_0000%').delete());
});

it('is not asked for by those who may not change pictures, and rehearses without marking one', async () => {
  await picture();
  await render();
  const { browser: reader } = await member(app, ['media:read']);
  expect((await reader.open('/store/media/rebuild')).status).toBe(403);
  const reading = await app.adminToken('viewer');
  const asked = async (secret: string, more: Record<string, string> = {}) => {
    const headers = { Authorization: `Bearer ${secret}`, ...more };
    return (await app.send('/api/store/media/rebuild', { method: 'POST', headers })).status;
  };
  expect(await asked(reading.secret)).toBe(403);
  expect(await asked(token, { 'Dry-Run': 'true' })).toBe(202);
  expect(await table().where({ status: 'processing' })).toEqual([]);
});

it('says in the panel why one failed, and tries it again', async () => {
  const id = await damaged();
  const { id: product } = await client.data('/products', 'POST', mug());
  await client.data(`/products/${product}/media`, 'POST', { media_ids: [id] });
  // A busy machine says that it took too long.
  const said = String((await client.data(`/media/${id}`)).failure);
  expect(said).toMatch(/^The picture .*\. Upload /);
  const tab = `/store/products/${product}?tab=pictures`;
  const shown = await browser.open(tab);
  expect(textOf(shown.text)).toContain(`The sizes of broken.webp could not be created: ${said}.`);
  expect(shown.text).toContain('value="retry"');
  expect(textOf((await browser.open('/store/media?status=failed')).text)).toContain(`Failed: ${said}`);
  expect(textOf((await browser.open(`/store/media/${id}`)).text)).toContain('Try again');
  const _csrf = tokenIn(shown.text);
  const path = `/store/products/${product}/pictures`;
  expect((await browser.post(path, { media: id, do: 'retry', _csrf })).status).toBe(303);
  expect(await client.data(`/media/${id}`)).toMatchObject({ status: 'processing', failure: null });
  expect(textOf((await browser.open(tab)).text)).toContain('The sizes of broken.webp are being processed');
  const other = await picture();
  expect((await browser.post(path, { media: other, do: 'retry', _csrf })).status).toBe(400);
  await render();
  expect(await client.data(`/media/${id}`)).toMatchObject({ status: 'failed' });
  expect(await client.data(`/media/${id}/retry`, 'POST', {})).toMatchObject({ status: 'processing' });
});

describe('a picture storage that cannot be reached', () => {
  const media = () => join(app.instance.config.dataDir, 'media');
  const takeAway = () => {
    renameSync(media(), `${media()}.away`);
    writeFileSync(media(), '');
  };
  const bringBack = () => {
    rmSync(media());
    renameSync(`${media()}.away`, media());
  };

  it('loses no picture: they wait, and are made when it is back', async () => {
    const id = await picture();
    await render();
    await client.send('/media/rebuild', 'POST');
    takeAway();
    await expect(render()).rejects.toThrow('is not a folder');
    expect(await client.data(`/media/${id}`)).toMatchObject({ status: 'processing', failure: null });
    bringBack();
    await render();
    expect(await client.data(`/media/${id}`)).toMatchObject({ status: 'ready', failure: null });
  });

  it('tells whoever uploads why, with what to look for in the log', async () => {
    const body = await drawn().png().toBuffer();
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' };
    takeAway();
    const sent = await app.send('/api/store/media?file_name=ok.png', { method: 'POST', body, headers });
    bringBack();
    expect([sent.status, sent.body.error_code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(sent.body.error).toContain('is not a folder');
    expect(sent.body.error).toContain('set storage.media_dir to a folder');
    expect(sent.body.details).toMatchObject({ request_id: expect.stringMatching(/./) });
  });

  it('is not the file that is missing; one that comes back is made again by itself', async () => {
    const id = await picture();
    await render();
    const { storage_key: key } = await table().where({ id }).first();
    renameSync(join(media(), key), join(media(), 'kept'));
    await client.data(`/media/${id}/regenerate`, 'POST', {});
    await render();
    expect(await client.data(`/media/${id}`)).toMatchObject({
      status: 'failed',
      failure: expect.stringContaining('The original file is missing from the picture storage'),
    });
    expect(await runJob(app.ctx, 'media-originals')).toMatchObject({ found: 0, missing: 1 });
    renameSync(join(media(), 'kept'), join(media(), key));
    expect(await runJob(app.ctx, 'media-originals')).toMatchObject({ found: 1, missing: 0 });
    await render();
    expect(await client.data(`/media/${id}`)).toMatchObject({ status: 'ready', failure: null });
  });
});
