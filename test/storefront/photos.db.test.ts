// Photos that customers send: judged by their bytes, drawn anew, seen by their owner and staff alone.
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepPhotos } from '#storefront/people/photos/index.ts';
import { eraseCustomer } from '#storefront/people/privacy/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { type CustomerClient, customerClient } from './customer-client.ts';
import { storeClient } from './store-client.ts';

let app: TestApp;
let ann: CustomerClient;
let eve: CustomerClient;
let photo: Buffer;
beforeAll(async () => {
  app = await startApp();
  [ann, eve] = [await customerClient(app), await customerClient(app)];
  const noise = Buffer.alloc(640 * 480 * 3, 90);
  photo = await sharp(noise, { raw: { width: 640, height: 480, channels: 3 } })
    .withExif({ IFD0: { Copyright: 'Zaphod took this' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .jpeg()
    .toBuffer();
}, 120_000);
afterAll(() => app.close());

async function send(
  who: CustomerClient,
  bytes: Uint8Array,
  purpose: string | null = 'return',
  at: TestApp = app,
) {
  const { body } = await who.browser.open('/api/shop/session');
  const token = (body.data as unknown as { csrf_token: string }).csrf_token;
  const form = new FormData();
  if (purpose !== null) form.set('purpose', purpose);
  form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), '../../evil.php');
  const cookie = [...who.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { Cookie: cookie, 'X-CSRF-Token': token };
  const reply = await fetch(`${at.url}/api/shop/uploads`, { method: 'POST', body: form, headers });
  return {
    status: reply.status,
    body: (await reply.json()) as {
      data?: { media_id: string; thumbnail_url: string };
      error_code?: string;
      details?: { reason?: string };
    },
  };
}

const bytesOf = async (who: CustomerClient, path: string) => {
  const cookie = [...who.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const reply = await fetch(app.url + path, { headers: { Cookie: cookie } });
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) };
};

it('a photo is kept without what the camera noted, for its owner and staff alone', async () => {
  const { status, body } = await send(ann, photo);
  expect(status).toBe(201);
  const { media_id: id, thumbnail_url: thumbnail } = body.data as { media_id: string; thumbnail_url: string };
  expect(thumbnail).toBe(`/api/shop/uploads/${id}/thumbnail`);
  const large = await bytesOf(ann, `/api/shop/uploads/${id}/large`);
  expect([large.status, large.headers.get('content-type'), large.headers.get('cache-control')]).toEqual([
    200,
    'image/webp',
    'private, no-store',
  ]);
  const { exif, width } = await sharp(large.bytes).metadata();
  expect([exif, width]).toEqual([undefined, 640]);
  expect((await sharp((await bytesOf(ann, thumbnail)).bytes).metadata()).width).toBe(300);
  expect((await bytesOf(eve, thumbnail)).status).toBe(404);
  expect((await fetch(app.url + thumbnail)).status).toBe(401);
  const staff = await storeClient(app);
  expect((await staff.send(`/uploads/${id}/thumbnail`)).status).toBe(200);
  expect((await fetch(`${app.url}/api/store/uploads/${id}/thumbnail`)).status).toBe(401);
});

it('what is no photo is refused by its bytes', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>');
  const gif = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .gif()
    .toBuffer();
  const program = await readFile(process.execPath).then((bytes) => bytes.subarray(0, 5000));
  const both = Buffer.concat([photo, Buffer.from('<?php echo 1;')]);
  for (const bytes of [svg, gif, program, Buffer.from('x'), photo.subarray(0, photo.length - 200), both]) {
    const { status, body } = await send(ann, bytes);
    expect([status, body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
  }
  expect((await send(ann, photo, 'fun')).status).toBe(400);
  expect((await send(ann, photo, null)).status).toBe(400);
  expect((await send(ann, Buffer.alloc(11 * 1_048_576, 1))).status).toBe(413);
});

it('twenty an hour and customer', async () => {
  const strict = await startApp({ limits: 'on' });
  const bob = await customerClient(strict);
  const states: number[] = [];
  for (let n = 0; n < 21; n++)
    states.push((await send(bob, Buffer.from('no photo'), 'return', strict)).status);
  await strict.close();
  expect(states.slice(0, 20)).toEqual(Array(20).fill(400));
  expect(states[20]).toBe(429);
});

it('photos that belong to nothing go after a week, kept ones stay until their owner is erased', async () => {
  const bob = await customerClient(app);
  const made = async () => (await send(bob, photo)).body.data?.media_id as string;
  const [loose, kept] = [await made(), await made()];
  await app.ctx.tx((ctx) => keepPhotos(ctx, bob.id, [kept]));
  await expect(app.ctx.tx((ctx) => keepPhotos(ctx, eve.id, [kept]))).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  const keys = await app.instance.database.db
    .knex('customer_photos')
    .where({ customer_id: bob.id })
    .pluck('large_key');
  app.clock.advance(8 * 86_400);
  await runJob(app.ctx, 'purge-photos');
  const left = () =>
    app.instance.database.db.knex('customer_photos').where({ customer_id: bob.id }).pluck('id');
  expect(await left()).toEqual([kept]);
  expect(loose).not.toBe(kept);
  await eraseCustomer(app.ctx, bob.id);
  await runJob(app.ctx, 'purge-photos');
  expect(await left()).toEqual([]);
  for (const key of keys) expect(await app.ctx.media.open(key)).toBeNull();
});
