// From order to license to download, as the design's walk has it: a guest buys in a real browser,
// the program of the vendor activates the key, the account downloads the release, and what happens to the order happens to
// the license.
import { createHash, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fileSink } from '../../src/client/file-sink.ts';
import { machineOf } from '../client/live.ts';
import { openLicenseShop } from '../fulfilment/license-shop.ts';
import { bundleOf, published } from '../licensing/release-fixture.ts';
import { type Chromium, type Looking, openChromium } from '../support/chromium.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { type Walker, walker } from './walker.ts';

const PASSWORD = 'a walk in the harbour';

let mail: MailServer;
let chromium: Chromium;
let shop: Awaited<ReturnType<typeof openLicenseShop>>;
let sold: Awaited<ReturnType<typeof makeProgram>>;
let apiKey: string;
let adminKey: string;
let folder: string;
beforeAll(async () => {
  [mail, chromium] = await Promise.all([openMailServer(), openChromium()]);
  shop = await openLicenseShop({
    env: { APPCTL_SMTP_URL: mail.url, APPCTL_MAIL_FROM: 'post@shop.test' },
    pins: { store_name: 'Harbor Software' },
  });
  sold = await makeProgram();
  apiKey = (await shop.app.apiKey('VALIDATE_ONLY')).secret;
  adminKey = (await shop.app.apiKey('FULL_ADMIN')).secret;
  folder = mkdtempSync(join(tmpdir(), 'appctl-walk-'));
}, 120_000);
afterAll(async () => {
  await shop?.app.close();
  await Promise.all([mail?.close(), chromium?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** A program with a signed release, which the shop sells with a license for two machines. */
async function makeProgram() {
  const made = await shop.licensed({ maxActivations: 2 }, { title: 'Chart Plotter', slug: 'chart-plotter' });
  const signer = await delegatedProduct(shop.app.ctx, made.licenseProduct);
  const target = { platform: 'linux', arch: 'x64' };
  const release = await published(shop.app.ctx, made.licenseProduct, '2.1.0', {
    ...target,
    key: signer.root,
    changelog: 'Charts of the harbor.',
  });
  return { ...made, signer, release, bytes: bundleOf(`${made.licenseProduct.slug} 2.1.0`) };
}

const looks: Record<'sqlite' | 'postgres', Required<Looking>> = {
  sqlite: { javaScript: true, width: 1280, scheme: 'light' },
  postgres: { javaScript: false, width: 360, scheme: 'dark' },
};
const looking = looks[inject('databaseKind')];
const email = 'bob@x.test';

/** The program of the vendor on a machine of the customer. */
const program = (key: string, id: string) =>
  machineOf({ app: shop.app, product: sold.licenseProduct, signer: sold.signer, apiKey }, key, {
    machine: { id, name: id, osName: 'Linux', osVersion: '6.1' },
    appVersion: '2.0.0',
    updates: { platform: 'linux', arch: 'x64' },
  }).client;
const activate = (licenseKey: string, machineId: string) =>
  shop.app.post('/api/v1/license/activate', { licenseKey, machineId }, apiKey);

describe(`scripts ${looking.javaScript}, ${looking.width} px`, () => {
  let bob: Walker;
  let number: string;
  let key: string;
  beforeAll(async () => {
    bob = await walker(chromium, shop.app.url, looking);
  }, 60_000);
  afterAll(() => bob?.close());

  const mails = async () => {
    await mailWorker(shop.app.ctx).idle();
    return mail.to(email);
  };
  const linkIn = async (path: RegExp): Promise<string> => {
    for (const { text } of (await mails()).toReversed()) {
      const found = path.exec(text)?.[0];
      if (found !== undefined) return found;
    }
    throw new Error(`no mail leads to ${path}`);
  };
  const licenseId = async () =>
    (await shop.mintsOf((await shop.staff.data(`/orders/${number}`)).id))[0]?.license_id ?? '';

  it('a guest sees what license comes with the program, and buys it', async () => {
    await bob.open('/shop/products/chart-plotter');
    await bob.sees('2.1.0');
    await bob.stands('Chart Plotter');
    await bob.press('Add to cart');
    await bob.press('Go to checkout');
    await bob.fill({ email });
    if ((await bob.page.locator('main [name=processor]').count()) === 0) await bob.press('Continue');
    await bob.page.locator('main [name=processor][value=fake]').check();
    await bob.press('Place order');
    await bob.stands('Thank you for your order');
    number = new URL(bob.page.url()).pathname.split('/').at(-1) ?? '';
    key = await bob.text('main code');
    expect(key).toMatch(/^[A-Z0-9-]{20,}$/);
    expect(await shop.staff.data(`/orders/${number}`)).toMatchObject({
      status: 'completed',
      payment_status: 'paid',
      invoice_number: expect.any(String),
    });
    expect((await mails()).map(({ text }) => text)).toContainEqual(expect.stringContaining(key));
  }, 120_000);

  it('the program activates the key on two machines, and no third one; the order lists one license', async () => {
    for (const id of ['machine-one', 'machine-two']) {
      const client = program(key, id);
      expect(await client.activate()).toMatchObject({ activation: { machineId: id } });
      expect(await client.access()).toMatchObject({ allowed: true, code: 'VALID' });
    }
    expect((await activate(key, 'machine-three')).body.error).toMatchObject({ code: 'ACTIVATION_FAILED' });
    const { body } = await shop.app.get(`/api/v1/license/by-order/${number}`, adminKey);
    expect(body.licenses).toMatchObject([{ id: await licenseId() }]);
  }, 60_000);

  it('the program downloads the release and verifies it', async () => {
    const client = program(key, 'machine-one');
    const offer = await client.checkForUpdate();
    expect(offer).toMatchObject({ version: '2.1.0', statement: 'verified' });
    const path = join(folder, 'chart-plotter.zip');
    if (offer) await client.downloadUpdate(offer, await fileSink(path));
    expect(readFileSync(path)).toEqual(sold.bytes);
  }, 60_000);

  it('registers with the same address: the order is in the account, and the release is fetched once', async () => {
    await bob.open('/shop/register');
    await bob.fill({ email, password: PASSWORD, first_name: 'Bob', last_name: 'Miller' });
    await bob.press('Create an account');
    await bob.open(await linkIn(/http\S+\/shop\/verify-email\/\S+/));
    await bob.press('Confirm');
    await bob.open('/shop/login');
    await bob.fill({ email, password: PASSWORD });
    await bob.press('Sign in');
    await bob.press('Add them to your account');
    await bob.open('/shop/account/licenses');
    await bob.stands('Your licenses');
    const path = `/shop/account/licenses/${await licenseId()}`;
    await bob.open(path);
    await bob.sees('2 of 2 machines in use');
    await bob.stands(sold.licenseProduct.name);
    const [file] = await Promise.all([
      bob.page.waitForEvent('download'),
      bob.page.locator('form[action*="/download"] button').first().click(),
    ]);
    expect(readFileSync(await file.path())).toEqual(sold.bytes);
    const again = await bob.context.request.get(file.url());
    expect(again.status()).toBe(410);
  }, 120_000);

  it('a link of the JSON API says hash and signature, resumes where it broke off, and is used up', async () => {
    const page = await bob.context.request.get(`${shop.app.url}/api/shop/session`);
    const { csrf_token } = ((await page.json()) as { data: { csrf_token: string } }).data;
    const made = await bob.context.request.post(
      `${shop.app.url}/api/shop/licenses/${await licenseId()}/releases/${sold.release.id}/link`,
      { headers: { 'X-CSRF-Token': csrf_token }, data: {} },
    );
    const { url, sha256, signature } = ((await made.json()) as { data: Record<string, string> }).data;
    expect(sha256).toBe(createHash('sha256').update(sold.bytes).digest('hex'));
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), sold.signer.root.publicKey]);
    const publicKey = { key: spki, format: 'der', type: 'spki' } as const;
    const isSigned = verify(
      null,
      createHash('sha256').update(sold.bytes).digest(),
      publicKey,
      Buffer.from(String(signature), 'base64'),
    );
    expect(isSigned).toBe(true);
    const target = new URL(String(url), shop.app.url).pathname;
    const whole = await shop.app.send(target);
    expect([whole.status, whole.headers['x-bundle-sha256'], whole.headers['x-bundle-signature']]).toEqual([
      200,
      sha256,
      signature,
    ]);
    const rest = await shop.app.send(target, { headers: { Range: 'bytes=100-' } });
    expect([rest.status, rest.headers['content-length']]).toEqual([206, String(sold.bytes.length - 100)]);
    expect((await shop.app.send(target)).status).toBe(410);
  }, 60_000);

  it('a machine that is released in the account is free at once', async () => {
    const path = `/shop/account/licenses/${await licenseId()}`;
    await bob.open(path);
    await Promise.all([
      bob.page.waitForURL('**done=released*'),
      bob.page.locator('form[action*="/release"] button').first().click(),
    ]);
    expect((await activate(key, 'machine-three')).status).toBe(200);
  }, 60_000);

  it('refunded, the key is refused everywhere, and whoever bought it is written why', async () => {
    const { id, items } = (await shop.staff.data(`/orders/${number}`)) as unknown as {
      id: string;
      items: { id: string }[];
    };
    await shop.staff.data(`/orders/${id}/refunds`, 'POST', {
      reason: 'returned',
      items: [{ order_item_id: items[0]?.id, quantity: 1 }],
    });
    expect((await activate(key, 'machine-four')).body.error).toMatchObject({ code: 'ACTIVATION_FAILED' });
    await expect(program(key, 'machine-one').checkForUpdate()).rejects.toMatchObject({
      code: 'INVALID_LICENSE',
    });
    await bob.open(`/shop/account/licenses/${await licenseId()}`);
    await bob.stands(sold.licenseProduct.name);
    expect(await bob.page.locator('form[action*="/download"]').count()).toBe(0);
    expect(await shop.staff.data(`/orders/${number}`)).toMatchObject({ payment_status: 'refunded' });
    const { rows } = { rows: await shop.knex()('invoices').where({ order_id: id }).orderBy('kind') };
    expect((rows as { kind: string }[]).map(({ kind }) => kind)).toEqual(['credit_note', 'invoice']);
    expect((await mails()).map(({ subject }) => subject)).toContainEqual(expect.stringMatching(/license/i));
  }, 60_000);
});

it('an order that is paid later has its key with the money, in the mail about it', async () => {
  const order = await shop.bought(sold.variantId, 1, 'offline');
  expect(await shop.mintsOf(order.id)).toEqual([]);
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
    amount_cents: order.total_cents,
    method: 'bank_transfer',
  });
  await mailWorker(shop.app.ctx).idle();
  const [mint] = await shop.mintsOf(order.id);
  const prefix = (await shop.knex()('license_keys').where({ license_id: mint?.license_id }).first('prefix'))
    .prefix as string;
  expect(mail.to('ann@example.test').map(({ text }) => text)).toContainEqual(expect.stringContaining(prefix));
});
