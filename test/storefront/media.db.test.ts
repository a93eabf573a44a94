// Pictures of the shop over HTTP: uploaded, rendered, shown, changed, rebuilt and deleted (storefront-api.md AC).
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { another, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let token: string;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  token = (await app.adminToken('owner')).secret;
});
afterAll(() => app.close());

const authorized = () => ({ Authorization: `Bearer ${token}` });

/** Sends bytes as the body, as a program does. */
async function upload(bytes: Uint8Array, query = '', headers: Record<string, string> = authorized()) {
  const answer = await fetch(new URL(`/api/store/media${query}`, app.url), {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/octet-stream' },
    body: Buffer.from(bytes),
  });
  const body = (await answer.json()) as {
    data: Record<string, unknown> & { id: string };
    error_code: string;
    error: string;
    details: { reason?: string };
  };
  return { status: answer.status, body };
}

/** A picture that no other test has. */
const picture = (width = 600, height = 400): Promise<Buffer> => {
  const number = another();
  const background = { r: number % 256, g: (number * 7) % 256, b: 128 };
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();
};

const render = () => runJob(app.ctx, 'media-variants');

type Variants = Record<'thumbnail' | 'medium' | 'large', { url: string; width: number; height: number }>;

it('is taken, rendered by the job and served to everybody for ever', async () => {
  const bytes = await picture(1600, 800);
  const { result, changes } = await app.changesBy(() =>
    upload(bytes, '?file_name=front.jpg&alt=The%20front&folder=mugs'),
  );
  expect([result.status, changes.events]).toEqual([201, ['MEDIA_UPLOADED']]);
  expect(result.body.data).toMatchObject({
    id: expect.stringMatching(/^med_/),
    file_name: 'front.jpg',
    mime: 'image/jpeg',
    width: 1600,
    height: 800,
    bytes: bytes.length,
    alt: 'The front',
    folder: 'mugs',
    status: 'processing',
    url: null,
    variants: null,
  });
  expect((await render()).ready).toBeGreaterThan(0);
  const ready = await client.data(`/media/${result.body.data.id}`);
  expect(ready).toMatchObject({ status: 'ready', blur: expect.stringMatching(/^data:image\/webp/) });
  const variants = ready.variants as Variants;
  expect(variants.thumbnail).toMatchObject({ width: 300, height: 150 });
  expect(variants.medium).toMatchObject({ width: 800, height: 400 });
  expect(variants.large).toMatchObject({ width: 1200, height: 600 });
  const served = await fetch(new URL(variants.medium.url, app.url));
  expect(served.status).toBe(200);
  expect(served.headers.get('content-type')).toBe('image/webp');
  expect(served.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(served.headers.get('x-content-type-options')).toBe('nosniff');
  const { format, width } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
  expect([format, width]).toEqual(['webp', 800]);
});

it('the same file again answers with the picture that is there', async () => {
  const bytes = await picture();
  const first = await upload(bytes);
  const again = await upload(bytes, '?file_name=other.jpg');
  expect([again.status, again.body.data.id, again.body.data.file_name]).toEqual([
    201,
    first.body.data.id,
    'picture.jpg',
  ]);
});

it('ten uploads of one file at once make one picture', async () => {
  const bytes = await picture();
  const made = await Promise.all(Array.from({ length: 10 }, () => upload(bytes)));
  expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
});

it.each([
  ['a text', Buffer.from('hello'), 'UNKNOWN_TYPE'],
  ['a PDF', Buffer.from('%PDF-1.7'), 'UNKNOWN_TYPE'],
  ['an SVG with a DOCTYPE', Buffer.from('<!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg"/>'), 'UNSAFE'],
])('%s is refused and leaves nothing', async (_what, bytes, reason) => {
  const before = (await client.send('/media')).body.pagination as unknown as { total: number };
  const { status, body } = await upload(bytes);
  expect([status, body.error_code, body.details.reason]).toEqual([400, 'VALIDATION_ERROR', reason]);
  expect((await client.send('/media')).body.pagination).toMatchObject({ total: before.total });
});

it('a picture with something behind it, or only a part of one, is refused', async () => {
  const bytes = await picture();
  expect((await upload(Buffer.concat([bytes, Buffer.from('<script>')]))).body.details.reason).toBe(
    'MORE_THAN_A_PICTURE',
  );
  expect((await upload(bytes.subarray(0, 400))).body.details.reason).toBe('INCOMPLETE');
});

it('an SVG is kept without its script and drawn large', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><script>alert(${another()})</script><rect width="60" height="${another()}"/></svg>`;
  const { status, body } = await upload(Buffer.from(svg));
  expect(status).toBe(201);
  await render();
  const ready = await client.data(`/media/${body.data.id}`);
  expect(ready).toMatchObject({ status: 'ready', mime: 'image/svg+xml', width: 60, height: 60 });
  expect((ready.variants as Variants).large).toMatchObject({ width: 1200 });
  expect(ready.bytes).toBeLessThan(svg.length);
});

it('one whose pixels are damaged says so, and the others are made nevertheless', async () => {
  const bytes = await sharp({
    create: { width: 64, height: 64, channels: 3, background: { r: another(), g: 1, b: 2 } },
  })
    .webp({ lossless: true })
    .toBuffer();
  // The chunk keeps its length: only a decoder sees it.
  bytes.fill(0xff, bytes.indexOf('VP8L') + 14);
  const { body } = await upload(bytes);
  const fine = await upload(await picture());
  await render();
  expect(await client.data(`/media/${body.data.id}`)).toMatchObject({
    status: 'failed',
    failure: expect.stringContaining('Upload it again'),
  });
  expect(await client.data(`/media/${fine.body.data.id}`)).toMatchObject({ status: 'ready' });
});

it('is described, put into a folder, found and rebuilt in another quality', async () => {
  const { id } = (await upload(await picture())).body.data;
  await render();
  const before = await client.data(`/media/${id}`);
  const folder = `shelf-${another()}`;
  const changed = await client.data(`/media/${id}`, 'PATCH', {
    alt: 'A mug',
    folder,
    focal_x: 10,
    focal_y: 90,
  });
  expect(changed).toMatchObject({ alt: 'A mug', folder, focal_x: 10, focal_y: 90, status: 'ready' });
  expect((await client.data(`/media?folder=${folder}`)) as unknown as object[]).toHaveLength(1);
  expect(await client.refusal(`/media/${id}`, 'PATCH', { focal_x: 101 })).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
  const asked = await client.data(`/media/${id}/regenerate`, 'POST', { quality: 5 });
  // Pages show the old ones until the new ones are there.
  expect(asked).toMatchObject({ status: 'processing', variants: before.variants });
  await render();
  const after = await client.data(`/media/${id}`);
  expect((after.variants as Variants).large.url).not.toBe((before.variants as Variants).large.url);
});

it('is deleted with its files', async () => {
  const { id } = (await upload(await picture())).body.data;
  await render();
  const { url } = ((await client.data(`/media/${id}`)).variants as Variants).large;
  expect(await client.send(`/media/${id}`, 'DELETE')).toMatchObject({ status: 200 });
  expect((await client.send(`/media/${id}`)).status).toBe(404);
  expect((await fetch(new URL(url, app.url))).status).toBe(404);
});

it('a key of the shop uploads with products:write, and not without', async () => {
  const key = async (scope: string): Promise<string> => {
    const made = await client.send('/api-keys', 'POST', { name: scope, scopes: [scope] });
    return (made.body.key as unknown as string) ?? (made.body.data as unknown as Record<string, string>).key;
  };
  const bytes = await picture();
  const reading = { Authorization: `Bearer ${await key('products:read')}` };
  expect((await upload(bytes, '', reading)).status).toBe(403);
  const writing = { Authorization: `Bearer ${await key('products:write')}` };
  expect((await upload(bytes, '', writing)).status).toBe(201);
  expect((await upload(bytes, '', {})).status).toBe(401);
});

it('a picture that does not exist is 404, a size that does not exist 400 or 404', async () => {
  const none = await fetch(new URL(`/api/shop/media/${'0'.repeat(64)}/large`, app.url));
  expect(none.status).toBe(404);
  const odd = await fetch(new URL(`/api/shop/media/${'0'.repeat(64)}/original`, app.url));
  expect(odd.status).toBe(400);
});

async function replaceBy(id: string, bytes: Uint8Array, query = '') {
  const answer = await fetch(new URL(`/api/store/media/${id}/replace${query}`, app.url), {
    method: 'POST',
    headers: { ...authorized(), 'Content-Type': 'application/octet-stream' },
    body: Buffer.from(bytes),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, Record<string, unknown>> };
}

it('gets another file: same id and words, new sizes at new addresses, and the old files go', async () => {
  const first = await picture(600, 400);
  const { id } = (await upload(first, '?alt=The%20front&file_name=one.jpg')).body.data;
  await render();
  const before = await client.data(`/media/${id}`);
  const { result, changes } = await app.changesBy(async () =>
    replaceBy(id, await picture(640, 320), '?file_name=two.jpg'),
  );
  expect([result.status, changes.events]).toEqual([200, ['MEDIA_UPDATED']]);
  expect(result.body.data).toMatchObject({
    id,
    alt: 'The front',
    file_name: 'two.jpg',
    status: 'processing',
  });
  const old = (result.body.data?.variants as Variants | undefined)?.thumbnail.url ?? '';
  expect((await fetch(new URL(old, app.url))).status).toBe(200);
  await render();
  const after = await client.data(`/media/${id}`);
  expect(after).toMatchObject({ id, status: 'ready', width: 640, height: 320 });
  const [was, is] = [before.variants as Variants, after.variants as Variants];
  expect(is.thumbnail.url).not.toBe(was.thumbnail.url);
  expect((await fetch(new URL(is.thumbnail.url, app.url))).status).toBe(200);
  expect((await fetch(new URL(was.thumbnail.url, app.url))).status).toBe(404);
  const sha256 = was.thumbnail.url.split('/')[4];
  for (const part of ['original', 'thumbnail', 'medium', 'large'])
    expect(await app.ctx.media.open(`${sha256}/${part}`)).toBeNull();
});

it('another file is refused when it is no picture, the file of another one, or the picture is unknown', async () => {
  const [one, two] = [await picture(), await picture()];
  const [{ id }] = [(await upload(one)).body.data, await upload(two)];
  const refused = async (named: string, bytes: Uint8Array) => {
    const { status, body } = await replaceBy(named, bytes);
    return [status, body.details?.reason];
  };
  expect(await refused(id, two)).toEqual([400, 'DUPLICATE']);
  expect(await refused(id, Buffer.from('hello'))).toEqual([400, 'UNKNOWN_TYPE']);
  expect((await replaceBy('med_none', one)).status).toBe(404);
  expect((await replaceBy(id, one)).status).toBe(200);
  await render();
  expect(await client.data(`/media/${id}`)).toMatchObject({ status: 'ready' });
});
