// Files that buyers of a variant may download: by JSON and in the panel, and what becomes of their bytes.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sweepFiles } from '../../src/storefront/catalog/digital-files/digital-files.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
let secret: string;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
  ({ secret } = await app.adminToken('owner'));
});
afterAll(() => app.close());

const variant = async () => {
  const { variants } = await client.data('/products', 'POST', mug({ type: 'digital' }));
  return (variants as { id: string }[])[0]?.id ?? '';
};
const upload = (id: string, bytes: string, query = '', type = 'application/octet-stream') =>
  app.send(`/api/store/variants/${id}/files${query}`, {
    method: 'POST',
    body: bytes,
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': type },
  });
const form = (name: string, bytes: string) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${bytes}\r\n--b--\r\n`;
const filesOf = async (id: string) =>
  (await client.send(`/variants/${id}/files`)).body.data as unknown as Record<string, unknown>[];
const locationOf = (bytes: string) => {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return `${sha256.slice(0, 2)}/${sha256}`;
};
const isStored = async (bytes: string) => {
  const object = await app.ctx.media.open(locationOf(bytes));
  await object?.close();
  return object !== null;
};

it('is uploaded, listed, downloaded and taken away, and tells each of it once', async () => {
  const id = await variant();
  const bytes = `A song ${another()}`;
  const { result, changes } = await app.changesBy(() =>
    upload(
      id,
      form('../<b>song.mp3', bytes),
      '?max_downloads=3&expires_days=30',
      'multipart/form-data; boundary=b',
    ),
  );
  expect(result.status).toBe(201);
  expect(changes).toEqual({ events: ['digital_file.added'], rows: { digital_files: '+1' } });
  const file = result.body.data as unknown as Record<string, unknown>;
  expect(file).toEqual({
    id: expect.stringMatching(/^dfl_/),
    variant_id: id,
    kind: 'upload',
    name: expect.stringContaining('song'),
    bytes: bytes.length,
    mime: 'application/octet-stream',
    release_channel: null,
    max_downloads: 3,
    expires_days: 30,
    position: 0,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const second = await upload(id, 'Sheets', '?name=Sheets%20%22A%22.pdf');
  expect(second.body.data).toMatchObject({ name: 'Sheets "A".pdf', position: 1, max_downloads: null });
  expect((await filesOf(id)).map(({ name }) => name)).toEqual([file.name, 'Sheets "A".pdf']);
  const content = await client.send(`/variants/${id}/files/${file.id}/content`);
  expect([content.status, content.text]).toEqual([200, bytes]);
  expect(content.headers['content-disposition']).toMatch(/^attachment; /);
  expect(content.headers['content-type']).toBe('application/octet-stream');
  const gone = await app.changesBy(() => client.send(`/variants/${id}/files/${file.id}`, 'DELETE'));
  expect(gone.result.body.data).toEqual({ deleted: true });
  expect(gone.changes).toEqual({ events: ['digital_file.removed'], rows: { digital_files: '-1' } });
  expect((await client.send(`/variants/${id}/files/${file.id}`, 'DELETE')).status).toBe(404);
  expect((await client.send(`/variants/${id}/files/${file.id}/content`)).status).toBe(404);
});

it('names a release channel in place of bytes', async () => {
  const id = await variant();
  const made = await client.data(`/variants/${id}/files`, 'POST', {
    release_channel: 'stable',
    max_downloads: 5,
    other: 'ignored',
  });
  expect(made).toMatchObject({
    kind: 'license_release',
    name: 'stable',
    release_channel: 'stable',
    bytes: 0,
    max_downloads: 5,
  });
  expect((await client.send(`/variants/${id}/files/${made.id}/content`)).status).toBe(404);
  for (const body of [
    {},
    [],
    { release_channel: 'Not A Channel' },
    { release_channel: '../etc' },
    { release_channel: 'nonsense' },
    { release_channel: 'stable', max_downloads: 0 },
    { release_channel: 'stable', expires_days: 'soon' },
    { release_channel: 7 },
  ])
    expect([body, (await client.send(`/variants/${id}/files`, 'POST', body)).status]).toEqual([body, 400]);
  expect(await filesOf(id)).toHaveLength(1);
});

it('refuses what is no file, and files of variants that do not exist', async () => {
  const [id, other] = [await variant(), await variant()];
  expect((await upload(id, '')).status).toBe(400);
  expect((await upload(id, form('x', '').replace('Content-Type', 'X'), '', 'text/plain')).status).toBe(400);
  for (const query of ['?max_downloads=0', '?expires_days=-1', '?expires_days=x', `?name=${'n'.repeat(256)}`])
    expect([query, (await upload(id, 'bytes', query)).status]).toEqual([query, 400]);
  expect((await upload('var_no', 'bytes')).status).toBe(404);
  expect((await client.send('/variants/var_no/files')).status).toBe(404);
  expect(await filesOf(id)).toEqual([]);
  const file = (await upload(id, 'mine')).body.data as unknown as { id: string };
  expect((await client.send(`/variants/${other}/files/${file.id}`, 'DELETE')).status).toBe(404);
  expect((await client.send(`/variants/${other}/files/${file.id}/content`)).status).toBe(404);
  const reader = await storeClient(app, 'viewer');
  expect((await reader.send(`/variants/${id}/files`, 'POST', { release_channel: 'stable' })).status).toBe(
    403,
  );
  expect((await app.get(`/api/store/variants/${id}/files/${file.id}/content`)).status).toBe(401);
});

it('is added and taken away in the panel without a script', async () => {
  const id = await variant();
  const path = `/store/variants/${id}/files`;
  const shown = await browser.open(path);
  expect(textOf(shown.text)).toContain('no files yet');
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const post = (...parts: string[]) =>
    app.send(path, {
      method: 'POST',
      body: `${part('_csrf', tokenIn(shown.text))}${parts.join('')}--b--\r\n`,
      headers: {
        'Content-Type': 'multipart/form-data; boundary=b',
        Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
  const file =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="book.pdf"\r\nContent-Type: application/pdf\r\n\r\nPages\r\n';
  expect((await post(part('do', 'add'), part('downloads', '2'), file)).status).toBe(303);
  expect(await filesOf(id)).toMatchObject([{ name: 'book.pdf', bytes: 5, max_downloads: 2 }]);
  const refused = await post(part('do', 'add'), part('downloads', 'many'), file);
  expect([refused.status, textOf(refused.text)]).toEqual([
    400,
    expect.stringContaining('whole number from 1 to 100000'),
  ]);
  expect((await post(part('do', 'add'), part('channel', 'beta'))).status).toBe(303);
  expect((await post(part('do', 'add'))).status).toBe(400);
  const page = await browser.open(path);
  expect(textOf(page.text)).toContain('newest release of beta');
  const [first] = await filesOf(id);
  expect((await browser.open(`/api/store/variants/${id}/files/${first?.id}/content`)).text).toBe('Pages');
  expect((await post(part('do', 'remove'), part('remove', String(first?.id)))).status).toBe(303);
  expect(await filesOf(id)).toHaveLength(1);
});

it('keeps bytes once, as long as a file has them, and a day beyond', async () => {
  const [id, other] = [await variant(), await variant()];
  const bytes = `Shared ${another()}`;
  const all = await Promise.all([upload(id, bytes), upload(other, bytes), upload(other, bytes)]);
  expect(all.map(({ status }) => status)).toEqual([201, 201, 201]);
  const sweep = async () => (await sweepFiles(app.ctx)).removed;
  await client.send(`/variants/${id}/files/${(await filesOf(id))[0]?.id}`, 'DELETE');
  const { id: productId } = await client
    .data(`/variants/${other}`)
    .then(({ product_id }) => ({ id: product_id }));
  await sweep();
  expect(await isStored(bytes)).toBe(true);
  // The files of a variant go with its product.
  await client.send(`/products/${productId}`, 'DELETE');
  await sweep();
  expect(await isStored(bytes)).toBe(true);
  // Files are as old as the machine's clock says, which is ahead of this one.
  app.clock.advance((Date.now() - Date.parse(app.ctx.now())) / 1000 + 90_000);
  expect(await sweep()).toBeGreaterThan(0);
  expect(await isStored(bytes)).toBe(false);
});
