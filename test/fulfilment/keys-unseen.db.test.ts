// The key of a license that was bought is nowhere but where its buyer looks for it (fulfilment section 8).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listTables } from '#kernel/db/schema.ts';
import { logTo } from '#kernel/log.ts';
import { exportCustomer } from '#storefront/people/privacy/index.ts';
import { pagesOf } from '../support/pdf-text.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { openShopperShop, type ShopperShop } from './shopper-shop.ts';

let server: MailServer;
let shop: ShopperShop;
const logged: string[] = [];
beforeAll(async () => {
  server = await openMailServer();
  shop = await openShopperShop({
    log: logTo({ write: (line) => void logged.push(line) }, 'trace'),
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
    },
  });
}, 120_000);
afterAll(async () => {
  await shop.app.close();
  await server.close();
});

/** Everything that the database holds, as text, by table. */
async function stored(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const table of await listTables(shop.app.ctx.db))
    found.set(table, JSON.stringify(await shop.knex()(table)));
  return found;
}

it('after a purchase, a look at it, a token and a download neither log nor database nor paper has it', async () => {
  const sold = await shop.program();
  const { who, order, card, key } = await shop.holder(sold.variantId);
  const number = order.order_number;

  // Where it is to be seen.
  const secrets = new Map([['key', key]]);
  expect((await who.browser.open(`/shop/account/orders/${number}`)).text).toContain(key);
  const revealed = await who.data<{ key: string }>(`/api/shop/licenses/${card.id}/reveal`, 'POST', {});
  expect(revealed.key).toBe(key);
  await mailWorker(shop.app.ctx).idle();
  const mails = server.to(who.email).filter(({ html }) => html.includes(key));
  expect(mails.map(({ subject }) => subject)).toEqual([expect.stringContaining('order')]);

  expect((await shop.activate(key, 'machine-1')).status).toBe(200);
  expect((await shop.activate(key, '')).status).toBe(400);
  const release = `/api/shop/licenses/${card.id}/releases/${sold.releases[1]?.id}/link`;
  const { url } = await who.data<{ url: string }>(release, 'POST', {});
  secrets.set('link', new URL(url).pathname.split('/').at(-1) ?? '');
  expect((await shop.fetched(url)).status).toBe(200);
  expect((await shop.fetched(url)).status).toBe(404);
  expect((await who.send(`/api/shop/licenses/${key}/reveal`, 'POST', {})).status).toBe(404);

  // Where it is not.
  const { secret } = await shop.app.adminToken('owner');
  const invoice = await fetch(`${shop.app.url}/api/store/orders/${order.id}/invoice.pdf`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  const paper = pagesOf(Buffer.from(await invoice.arrayBuffer())).join('\n');
  expect(paper).toContain(String(number));
  // Support pastes it into the search.
  expect((await shop.staff.send(`/orders?q=${key}`)).text).toContain(String(number));
  const staffSee = await shop.staff.send(`/orders/${order.id}`);
  expect(staffSee.text).toContain(card.key_masked);
  const own = JSON.stringify(await exportCustomer(shop.app.ctx, who.id));
  expect(logged.length).toBeGreaterThan(5);
  const places = {
    log: logged.join(''),
    paper,
    staffSee: staffSee.text,
    own,
    ...Object.fromEntries(await stored()),
  };
  for (const [name, secret] of secrets)
    expect([name, Object.keys(places).filter((place) => places[place as 'log'].includes(secret))]).toEqual([
      name,
      [],
    ]);
});
