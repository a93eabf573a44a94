// Files that were bought: what a paid order gives, links that fetch once, and what refunds and cancellations take back.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { grantPaid, revokeAll } from '#storefront/buying/downloads/index.ts';
import { eraseCustomer, exportCustomer } from '#storefront/people/privacy/index.ts';
import { sweepFiles } from '../../src/storefront/catalog/digital-files/digital-files.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { type CustomerClient, customerClient } from './customer-client.ts';
import { type DownloadShop, type DownloadShown, openDownloadShop } from './download-shop.ts';

let server: MailServer;
let shop: DownloadShop;
let ann: CustomerClient;
let eve: CustomerClient;
beforeAll(async () => {
  server = await openMailServer();
  shop = await openDownloadShop({
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
    },
  });
  [ann, eve] = [await customerClient(shop.app), await customerClient(shop.app)];
}, 120_000);
afterAll(async () => {
  await shop.app.close();
  await server.close();
});

type Placed = {
  id: string;
  order_number: string;
  status: string;
  placed_at: string;
  items: { id: string }[];
};
const BYTES = 'All the songs of the album, one after another';
const sha256 = createHash('sha256').update(BYTES).digest('hex');
const digital = (email: string, more: object = {}) => {
  const { shipping_method_id: _none, ...order } = shop.order('fake', { email, ...more });
  return order;
};

async function bought(
  who: CustomerClient,
  variantId: string,
  quantity = 1,
  more: object = {},
): Promise<Placed> {
  await who.data('/api/store/cart/add', 'POST', { variant_id: variantId, quantity });
  return (await who.data<{ order: Placed }>('/api/store/checkout', 'POST', digital(who.email, more))).order;
}
const listed = async (who: CustomerClient, { order_number: number }: Placed): Promise<DownloadShown[]> =>
  (await who.data<DownloadShown[]>('/api/shop/downloads?per_page=100')).filter(
    (one) => one.order_number === number,
  );
const only = async (who: CustomerClient, order: Placed): Promise<DownloadShown> => {
  const [one, ...more] = await listed(who, order);
  expect([one === undefined, more]).toEqual([false, []]);
  return one as DownloadShown;
};
const linkOf = (who: CustomerClient, id: string) =>
  who.data<{ url: string; expires_at: string }>(`/api/shop/downloads/${id}/link`, 'POST', {});
const usedOf = async ({ id }: Placed) => (await shop.rowsOf(id)).map((row) => Number(row.downloads_used));
const reasonOf = ({ status, body }: Awaited<ReturnType<DownloadShop['fetched']>>) => [
  status,
  body.error_code,
  (body.details as { reason?: string } | undefined)?.reason,
];

it('a paid order gives each file once, and its customer fetches it with a link that works once', async () => {
  const id = await shop.album(
    BYTES,
    '?name=Ann%27s%20%22album%22%20%C3%A9t%C3%A9.zip&max_downloads=3&expires_days=30',
  );
  const order = await bought(ann, id, 2);
  expect(order.status).toBe('completed');
  const one = await only(ann, order);
  expect(one).toMatchObject({
    file_name: 'Ann\'s "album" été.zip',
    size: BYTES.length,
    sha256,
    downloads_left: 3,
  });
  expect(Date.parse(String(one.expires_at)) - Date.parse(shop.app.ctx.now())).toBeGreaterThan(
    29 * 86_400_000,
  );
  const { url, expires_at: expiresAt } = await linkOf(ann, one.id);
  expect(new URL(url).pathname).toMatch(/^\/shop\/download\/[\w-]{43}$/);
  expect(Date.parse(expiresAt) - Date.parse(shop.app.ctx.now())).toBe(15 * 60_000);
  const head = await shop.fetched(url, {}, 'HEAD');
  expect([head.status, head.headers['content-length']]).toEqual([200, String(BYTES.length)]);
  expect(await usedOf(order)).toEqual([0]);
  const answer = await shop.app.send(shop.api(url));
  expect([answer.status, answer.text]).toEqual([200, BYTES]);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(BYTES.length),
    'content-disposition': `attachment; filename="Ann_s _album_ e_te_.zip"; filename*=UTF-8''Ann%27s%20%22album%22%20%C3%A9t%C3%A9.zip`,
    'x-bundle-sha256': sha256,
    etag: `"${sha256}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
  });
  expect(await usedOf(order)).toEqual([1]);
  expect((await only(ann, order)).downloads_left).toBe(2);
  // Whole again: used, by both addresses. A part goes on for an hour.
  expect(reasonOf(await shop.app.send(shop.api(url)))).toEqual([404, 'NOT_FOUND', 'TOKEN_USED']);
  expect((await shop.fetched(url)).status).toBe(410);
  const part = await shop.app.send(shop.api(url), { headers: { Range: 'bytes=4-' } });
  expect([part.status, part.text, part.headers['content-range']]).toEqual([
    206,
    BYTES.slice(4),
    `bytes 4-${BYTES.length - 1}/${BYTES.length}`,
  ]);
  const other = { Range: 'bytes=4-', 'If-Range': '"other"' };
  expect(reasonOf(await shop.app.send(shop.api(url), { headers: other }))[2]).toBe('TOKEN_USED');
  shop.app.clock.advance(59 * 60);
  expect((await shop.app.send(shop.api(url), { headers: { Range: 'bytes=0-3' } })).status).toBe(206);
  shop.app.clock.advance(61);
  expect(reasonOf(await shop.app.send(shop.api(url), { headers: { Range: 'bytes=4-' } }))[2]).toBe(
    'TOKEN_USED',
  );
  expect(await usedOf(order)).toEqual([1]);
});

/** What a link answers, by the path of the API. */
const fetch = (url: string, headers: Record<string, string> = {}) =>
  shop.app.send(shop.api(url), { headers });

it('two whole downloads at once with one link: one has it; a refused request uses nothing', async () => {
  const order = await bought(ann, await shop.album(BYTES, '?max_downloads=1'));
  const { id } = await only(ann, order);
  const [first, second] = [await linkOf(ann, id), await linkOf(ann, id)];
  expect((await fetch(first.url, { 'If-Match': '"other"' })).status).toBe(400);
  expect((await fetch(first.url, { 'If-None-Match': `"${sha256}"` })).status).toBe(304);
  expect((await fetch(first.url, { Range: 'bytes=9999-' })).status).toBe(400);
  expect(await usedOf(order)).toEqual([0]);
  const both = await Promise.all([fetch(first.url), shop.fetched(first.url)]);
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  expect([404, 410]).toContain(both.find(({ status }) => status !== 200)?.status);
  expect(await usedOf(order)).toEqual([1]);
  // The other link is unused, and nothing is left for it.
  expect(reasonOf(await fetch(second.url))).toEqual([404, 'NOT_FOUND', 'TOKEN_USED']);
  expect((await only(ann, order)).downloads_left).toBe(0);
  expect(await ann.refusal(`/api/shop/downloads/${id}/link`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'TOKEN_USED',
  ]);
});

it('a download that begins with a part is counted, and its other parts are not', async () => {
  const order = await bought(ann, await shop.album(BYTES));
  const { url } = await linkOf(ann, (await only(ann, order)).id);
  const parts = await Promise.all(
    ['bytes=0-9', 'bytes=10-19', 'bytes=20-'].map((Range) => fetch(url, { Range })),
  );
  expect(parts.map(({ status }) => status)).toEqual([206, 206, 206]);
  expect(parts.map(({ text }) => text).join('')).toBe(BYTES);
  expect(await usedOf(order)).toEqual([1]);
});

it('links and files end by time', async () => {
  const order = await bought(ann, await shop.album(BYTES, '?expires_days=1'));
  const { id } = await only(ann, order);
  const early = await linkOf(ann, id);
  shop.app.clock.advance(15 * 60 + 1);
  expect(reasonOf(await fetch(early.url))).toEqual([404, 'NOT_FOUND', 'TOKEN_EXPIRED']);
  expect((await shop.fetched(early.url)).status).toBe(410);
  expect(reasonOf(await fetch(early.url.slice(0, -3)))).toEqual([404, 'NOT_FOUND', 'TOKEN_INVALID']);
  expect((await shop.fetched(early.url.slice(0, -3))).status).toBe(404);
  expect(Date.parse(String((await only(ann, order)).expires_at)) - Date.parse(order.placed_at)).toBe(
    86_400_000,
  );
  const soon = new Date(Date.parse(shop.app.ctx.now()) + 5 * 60_000).toISOString();
  await shop.app.ctx.tx(({ db }) => db.knex('download_grants').where({ id }).update({ expires_at: soon }));
  const late = await linkOf(ann, id);
  shop.app.clock.advance(10 * 60);
  expect(reasonOf(await fetch(late.url))).toEqual([404, 'NOT_FOUND', 'TOKEN_EXPIRED']);
  expect(await ann.refusal(`/api/shop/downloads/${id}/link`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'TOKEN_EXPIRED',
  ]);
  expect(await usedOf(order)).toEqual([0]);
});

it('files of somebody else are unknown, and a guest fetches those of one order by its link alone', async () => {
  const order = await bought(ann, await shop.album(BYTES));
  const other = await bought(eve, await shop.album('Another file'));
  const mine = await only(ann, order);
  expect(await eve.refusal(`/api/shop/downloads/${mine.id}/link`, 'POST', {})).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
  expect(await ann.refusal('/api/shop/downloads/dlg_unknown/link', 'POST', {})).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
  expect((await listed(eve, order)).length).toBe(0);
  expect((await shop.app.send('/api/shop/downloads')).status).toBe(401);
  const links = `/api/shop/orders/by-token/${await shop.tokenOf(order.id)}/links`;
  const ask = (path: string, body: object) => shop.app.send(path, { method: 'POST', body });
  const { status, body } = await ask(links, { download_id: mine.id });
  expect(status).toBe(200);
  expect((await fetch((body.data as unknown as { url: string }).url)).text).toBe(BYTES);
  const foreign = await only(eve, other);
  expect(reasonOf(await ask(links, { download_id: foreign.id }))).toEqual([404, 'NOT_FOUND', undefined]);
  expect((await ask(links, {})).body.error_code).toBe('VALIDATION_MISSING_FIELD');
  expect((await ask(links.replace(/[^/]+\/links/, 'unknown/links'), { download_id: mine.id })).status).toBe(
    404,
  );
});

it('an order that is told to be paid once more has what it has; one without files gives none', async () => {
  const variant = await shop.album(BYTES);
  const order = await bought(ann, variant);
  const before = await shop.rowsOf(order.id);
  await shop.addFile(variant, 'Sheets', '?name=sheets.pdf');
  const { changes } = await shop.app.changesBy(() => shop.app.ctx.tx((ctx) => grantPaid(ctx, order.id)));
  expect(changes.rows).toEqual({ download_grants: '+1' });
  await shop.app.ctx.tx((ctx) => grantPaid(ctx, order.id));
  const after = await shop.rowsOf(order.id);
  expect(after.map((row) => row.file_name).sort()).toEqual(['album.zip', 'sheets.pdf']);
  expect(after.find((row) => row.file_name === 'album.zip')).toEqual(before[0]);
  const plain = await shop.placed(await shop.stocked(5));
  expect(await shop.rowsOf(plain.id)).toEqual([]);
});

it('an order that waits for its money gives its files when that has come', async () => {
  const variant = await shop.album(BYTES);
  const order = await bought(ann, variant, 1, { processor: 'offline', source_id: undefined });
  expect(await shop.rowsOf(order.id)).toEqual([]);
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
    amount_cents: 1900,
    method: 'bank_transfer',
  });
  expect((await listed(ann, order)).length).toBe(1);
});

it('a cancelled order takes its files back, also from a link that is open', async () => {
  const order = await bought(ann, await shop.album(BYTES));
  const { url } = await linkOf(ann, (await only(ann, order)).id);
  const again = await linkOf(ann, (await only(ann, order)).id);
  expect((await fetch(again.url)).status).toBe(200);
  await shop.app.ctx.tx((ctx) => revokeAll(ctx, order.id));
  expect(reasonOf(await fetch(url))).toEqual([404, 'NOT_FOUND', 'TOKEN_INVALID']);
  expect(reasonOf(await fetch(again.url, { Range: 'bytes=4-' }))).toEqual([
    404,
    'NOT_FOUND',
    'TOKEN_INVALID',
  ]);
  expect(await listed(ann, order)).toEqual([]);
});

it('a refund of some units leaves the files, one of all units takes them back', async () => {
  const [one, two] = [await shop.album(BYTES), await shop.album('Another album')];
  await ann.data('/api/store/cart/add', 'POST', { variant_id: one, quantity: 2 });
  const order = await bought(ann, two);
  const whole = await ann.data<Placed>(`/api/shop/orders/${order.order_number}`);
  const item = whole.items[0]?.id;
  const refund = async (quantity: number) => {
    await shop.staff.data(`/orders/${order.id}/refunds`, 'POST', {
      items: [{ order_item_id: item, quantity }],
      reason: 'Not wanted',
    });
    return (await listed(ann, order)).length;
  };
  expect(await refund(1)).toBe(2);
  expect(await refund(1)).toBe(1);
  expect((await shop.rowsOf(order.id)).map((row) => row.revoked_at !== null).sort()).toEqual([false, true]);
});

it('orders tell of their files, to customers, to staff and to whoever has their link', async () => {
  const order = await bought(ann, await shop.album(BYTES, '?name=album.zip&max_downloads=2'));
  const mine = await only(ann, order);
  const told = { ...mine, downloads_used: 0, downloads_left: 2 };
  const bySide = [
    await ann.data<{ downloads: unknown }>(`/api/shop/orders/${order.order_number}`),
    (await shop.app.send(`/api/shop/orders/by-token/${await shop.tokenOf(order.id)}`)).body.data,
    await shop.staff.data(`/orders/${order.id}`),
  ];
  for (const one of bySide as { downloads: unknown }[]) expect(one.downloads).toEqual([told]);
  expect(
    await ann.data(`/api/shop/orders/${(await bought(eve, await shop.album('x'))).id}`).catch(String),
  ).toContain('404');
});

it('staff see each file, give more of it, and give files that came later', async () => {
  const variant = await shop.album(BYTES, '?name=album.zip&max_downloads=1&expires_days=1');
  const order = await bought(ann, variant);
  const mine = await only(ann, order);
  expect((await fetch((await linkOf(ann, mine.id)).url)).status).toBe(200);
  const path = `/orders/${order.id}/downloads`;
  const list = (await shop.staff.send(path)).body.data as unknown as Record<string, unknown>[];
  expect(list).toMatchObject([
    { id: mine.id, downloads_used: 1, max_downloads: 1, downloads_left: 0, revoked_at: null },
  ]);
  expect(list[0]?.last_download_at).not.toBeNull();
  const { result, changes } = await shop.app.changesBy(() =>
    shop.staff.data(`${path}/${mine.id}/extend`, 'POST', { downloads: 2, days: 30 }),
  );
  expect(result).toMatchObject({ max_downloads: 3, downloads_left: 2 });
  expect(changes.events).toEqual(['download.extended']);
  expect((await fetch((await linkOf(ann, mine.id)).url)).status).toBe(200);
  expect((await shop.staff.send(`${path}/${mine.id}/extend`, 'POST', {})).status).toBe(400);
  await shop.addFile(variant, 'Sheets', '?name=sheets.pdf');
  expect(await shop.staff.data(`${path}/give`, 'POST', {})).toEqual({ given: 1 });
  expect(await shop.staff.data(`${path}/give`, 'POST', {})).toEqual({ given: 0 });
  expect((await listed(ann, order)).map(({ file_name: name }) => name).sort()).toEqual([
    'album.zip',
    'sheets.pdf',
  ]);
  await shop.app.ctx.tx((ctx) => revokeAll(ctx, order.id));
  expect((await shop.staff.send(`${path}/${mine.id}/extend`, 'POST', { downloads: 1 })).status).toBe(400);
});

it('mails name the files when they are paid, and lead to the order alone', async () => {
  const sent = async (who: CustomerClient) => {
    await mailWorker(shop.app.ctx).idle();
    return server.to(who.email).map(({ subject, text, html }) => ({ subject, text, html }));
  };
  const joe = await customerClient(shop.app);
  const variant = await shop.album(BYTES, `?name=${encodeURIComponent('<i>album</i>.zip')}`);
  await bought(joe, variant);
  const at = (await sent(joe)).length;
  const [mail] = (await sent(joe)).slice(-1);
  expect(mail?.subject).toMatch(/^Your order/);
  expect(mail?.text).toContain('<i>album</i>.zip (45 B)');
  expect(mail?.html).toContain('&lt;i&gt;album&lt;/i&gt;.zip (45 B)');
  expect(mail?.html).toMatch(/href="http[^"]*\/shop\/order\/[\w-]{43}">Open your order to download/);
  expect(mail?.html).not.toContain('/shop/download/');
  const later = await bought(joe, variant, 1, { processor: 'offline', source_id: undefined });
  expect((await sent(joe)).at(-1)?.text).not.toContain('album</i>.zip (');
  const money = { amount_cents: 1900, method: 'bank_transfer' };
  await shop.staff.data(`/orders/${later.id}/payments`, 'POST', money);
  const all = await sent(joe);
  expect(all).toHaveLength(at + 2);
  expect([all.at(-1)?.subject, all.at(-1)?.text]).toEqual([
    expect.stringMatching(/^We received your payment/),
    expect.stringContaining('album</i>.zip (45 B)'),
  ]);
});

it("goes with an order that a guest claims, and is nobody's once the customer is erased", async () => {
  const zoe = await customerClient(shop.app);
  const order = await bought(zoe, await shop.album(BYTES));
  const copy = JSON.stringify(await exportCustomer(shop.app.ctx, zoe.id));
  expect(copy).toContain((await only(zoe, order)).id);
  await eraseCustomer(shop.app.ctx, zoe.id);
  const [row] = await shop.rowsOf(order.id);
  expect(JSON.stringify(row)).not.toContain(zoe.email);
  expect(await shop.knex()('orders').where({ id: order.id }).first('email')).not.toEqual({
    email: zoe.email,
  });
});

it('what staff do to the files of a variant takes nothing from who bought it before', async () => {
  const variant = await shop.stocked(1000, { type: 'digital' });
  const bytes = `Kept for its buyers ${crypto.randomUUID()}`;
  const file = await shop.addFile(variant, bytes, '?name=kept.txt');
  const order = await bought(ann, variant);
  const { id } = await only(ann, order);
  await shop.staff.data(`/variants/${variant}/files/${file}`, 'DELETE');
  // Files are as old as the machine's clock says, which is ahead of this one.
  shop.app.clock.advance((Date.now() - Date.parse(shop.app.ctx.now())) / 1000 + 90_000);
  await sweepFiles(shop.app.ctx);
  const links = `/api/shop/orders/by-token/${await shop.tokenOf(order.id)}/links`;
  const { body } = await shop.app.send(links, { method: 'POST', body: { download_id: id } });
  expect((await fetch((body.data as unknown as { url: string }).url)).text).toBe(bytes);
});
