// Pictures in the panel: uploaded with a form, several at once, ordered, described and taken away, without a script.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

interface Shown {
  media_id: string;
  alt: string | null;
  variant_id: string | null;
}

const drawing = (): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 30 + another(), channels: 3, background: '#336699' } })
    .png()
    .toBuffer();

const picturesOf = async (id: string): Promise<Shown[]> =>
  (await client.data(`/products/${id}`)).media as Shown[];

/** Sends files as the form of the upload page does. */
async function send(files: readonly (readonly [name: string, bytes: Uint8Array])[], product = '') {
  const _csrf = tokenIn((await browser.open('/store/media/upload')).text);
  const part = (head: string) => `--xx\r\nContent-Disposition: form-data; ${head}`;
  const fields = Object.entries({ _csrf, product }).map(
    ([name, value]) => `${part(`name="${name}"`)}\r\n\r\n${value}\r\n`,
  );
  const sent = files.flatMap(([name, bytes]) => [
    `${part(`name="pictures"; filename="${name}"`)}\r\nContent-Type: image/png\r\n\r\n`,
    bytes,
    '\r\n',
  ]);
  return app.send('/store/media/upload', {
    method: 'POST',
    body: Buffer.concat([...fields, ...sent, '--xx--\r\n'].map((one) => Buffer.from(one))),
    headers: {
      Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'Content-Type': 'multipart/form-data; boundary=xx',
    },
  });
}

it('takes several pictures at once, for the library and for a product', async () => {
  const { id } = await client.data('/products', 'POST', mug());
  const sent = await send(
    [
      ['front.png', await drawing()],
      ['back.png', await drawing()],
    ],
    id,
  );
  expect([sent.status, sent.headers.location]).toEqual([303, `/store/products/${id}?tab=pictures`]);
  expect(await picturesOf(id)).toHaveLength(2);
  await runJob(app.ctx, 'media-variants');
  const tab = await browser.open(`/store/products/${id}?tab=pictures`);
  expect(tab.text.match(/<img class="thumb large" src="\/api\/shop\/media\//g)).toHaveLength(2);
  const library = await browser.open('/store/media');
  expect(library.text).not.toContain('/store/media/new');
  expect(textOf(library.text)).toContain('front.png');
  expect(library.text).toContain('<img class="thumb"');
});

it('says which files it did not take, and keeps the others', async () => {
  const { id } = await client.data('/products', 'POST', mug());
  const sent = await send(
    [
      ['fine.png', await drawing()],
      ['notes.txt', Buffer.from('<script>alert(1)</script>')],
    ],
    id,
  );
  expect(sent.status).toBe(400);
  expect(textOf(sent.text)).toContain('1 of 2 files could not be uploaded; the others were');
  expect(textOf(sent.text)).toContain('notes.txt: The file is not a JPEG, PNG, WebP, GIF or SVG picture');
  expect(await picturesOf(id)).toHaveLength(1);
});

it('orders, describes and takes away the pictures of a product', async () => {
  const product = await client.data('/products', 'POST', shirt());
  await send(
    [
      ['one.png', await drawing()],
      ['two.png', await drawing()],
    ],
    product.id,
  );
  const [one, two] = (await picturesOf(product.id)).map(({ media_id }) => media_id);
  const path = `/store/products/${product.id}/pictures`;
  const form = async (fields: Record<string, string>) => {
    const _csrf = tokenIn((await browser.open(`/store/products/${product.id}?tab=pictures`)).text);
    return (await browser.post(path, { ...fields, _csrf })).status;
  };
  expect(await form({ media: two ?? '', do: 'up' })).toBe(303);
  expect((await picturesOf(product.id)).map(({ media_id }) => media_id)).toEqual([two, one]);
  const variant = (product.variants as { id: string }[])[0]?.id ?? '';
  expect(await form({ media: two ?? '', do: 'save', alt: 'From the front', variant })).toBe(303);
  expect((await picturesOf(product.id))[0]).toMatchObject({ alt: 'From the front', variant_id: variant });
  expect(await form({ media: one ?? '', do: 'remove' })).toBe(303);
  expect((await picturesOf(product.id)).map(({ media_id }) => media_id)).toEqual([two]);
  expect(await form({ media: one ?? '', do: 'remove' })).toBe(404);
  expect(await form({ media: two ?? '', do: 'burn' })).toBe(400);
  const item = await browser.open(`/store/products/${product.id}`);
  expect(item.text.match(/>\s*Delete\s*</g)).toHaveLength(1);
});

it('the page of a picture leads to a form that takes no submission without a file', async () => {
  await send([['old.png', await drawing()]]);
  const list = (await client.send('/media?q=old.png')).body as unknown as { data: { id: string }[] };
  const path = `/store/media/${list.data[0]?.id}`;
  expect((await browser.open(path)).text).toContain(`${path}/replace`);
  expect(textOf((await browser.open(`${path}/replace`)).text)).toContain('old.png');
  expect((await browser.open(`${path}/remove`)).text).toContain('name="force"');
  const part = (head: string) => `--xx\r\nContent-Disposition: form-data; ${head}`;
  const submit = async (file: readonly (string | Uint8Array)[]) => {
    const _csrf = tokenIn((await browser.open(`${path}/replace`)).text);
    const parts = [`${part('name="_csrf"')}\r\n\r\n${_csrf}\r\n`, ...file, '--xx--\r\n'];
    return app.send(`${path}/replace`, {
      method: 'POST',
      body: Buffer.concat(parts.map((one) => Buffer.from(one))),
      headers: {
        Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'Content-Type': 'multipart/form-data; boundary=xx',
      },
    });
  };
  expect((await submit([])).status).toBe(400);
  const head = `${part('name="picture"; filename="new.png"')}\r\nContent-Type: image/png\r\n\r\n`;
  const sent = await submit([head, await drawing(), '\r\n']);
  expect([sent.status, sent.headers.location]).toEqual([303, `${path}?done=replace`]);
  expect(await client.data(`/media/${list.data[0]?.id}`)).toMatchObject({ file_name: 'new.png' });
});

it('sets the point of a picture that stays in sight with two fields, and says what is no percentage', async () => {
  const { id } = await client.data('/products', 'POST', mug());
  await send([['point.png', await drawing()]], id);
  const picture = (await picturesOf(id))[0]?.media_id ?? '';
  const path = `/store/media/${picture}/focal-point`;
  const saved = await browser.submit(path, { focal_x: '30', focal_y: '80' });
  expect([saved.status, saved.headers.location]).toEqual([303, `/store/media/${picture}?tab=focal#tabs`]);
  expect(await client.data(`/media/${picture}`)).toMatchObject({ focal_x: 30, focal_y: 80 });
  const refused = await browser.submit(path, { focal_x: '101', focal_y: 'top' });
  expect(refused.status).toBe(400);
  expect(refused.text.match(/Enter a whole number from 0 to 100<\/p>/g)).toHaveLength(2);
  expect(await client.data(`/media/${picture}`)).toMatchObject({ focal_x: 30, focal_y: 80 });
  await runJob(app.ctx, 'media-variants');
  const { text } = await browser.open(`/store/media/${picture}`);
  expect(text).toContain('<svg x="30%" y="80%"');
  const { browser: reader } = await member(app, ['media:read']);
  expect((await reader.open(`/store/media/${picture}`)).text).not.toContain('name="focal_x"');
  expect((await reader.open(path)).status).toBe(403);
});
