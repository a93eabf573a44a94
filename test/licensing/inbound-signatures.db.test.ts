// Who may report a purchase: signatures, bodies and configurations, and what is counted (D101, D102, D104 to
// D108, D114; M9; rows A165 to A169, A179).

import { gzipSync } from 'node:zlib';
import { WebhooksHelper } from 'square';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as requests from '#licensing/insight/requests/index.ts';
import { flushRequests } from '#licensing/insight/requests/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  checkout,
  hmac,
  openShop,
  purchase,
  type Shop,
  secondsOf,
  secret,
  stripeHeaders,
} from '../support/inbound.ts';

let app: TestApp;
let stripe: Shop;
let square: Shop;
let generic: Shop;
beforeAll(async () => {
  app = await startApp();
  [stripe, square, generic] = await Promise.all([
    openShop(app, 'STRIPE'),
    openShop(app, 'SQUARE'),
    openShop(app, 'GENERIC'),
  ]);
  for (const shop of [stripe, square, generic]) await shop.map('price_1');
});
afterAll(() => app.close());

const made = { success: true, received: true, duplicate: false, licensesCreated: 1 };
const refusal = (reason: string, code = 'VALIDATION_ERROR') => ({
  success: false,
  received: false,
  licensesCreated: 0,
  reason,
  error: { code, message: expect.any(String) },
});
const counted = { license_inbound_refusals: expect.stringMatching(/^\+1( -1)?$/) };

/** Sends what must be answered 200 and refused, and leave nothing but its count behind. */
async function refused(
  shop: Shop,
  body: string | Uint8Array,
  headers: Record<string, string>,
  reason: string,
) {
  const { result, changes } = await app.changesBy(() => shop.post(body, headers));
  expect([result.status, result.body]).toEqual([200, refusal(reason)]);
  expect(changes).toEqual({ events: [], rows: counted });
}

let events = 0;
const fresh = () => {
  events += 1;
  return JSON.stringify(checkout(`sig-${events}`));
};

describe('card processor A', () => {
  const signed = (body: string, at = 0) =>
    stripeHeaders(body, secondsOf(app) + at)['Stripe-Signature'] as string;
  const v1 = (body: string, time: string, key = secret) => hmac(key, `${time}.`, body).toString('hex');

  it.each([-120, 0, 120])('%i s away is accepted, as the official library has signed it', async (at) => {
    const body = fresh();
    const header = signed(body, at);
    const event = new Stripe('sk').webhooks.constructEvent(body, header, secret, 1_000_000_000);
    expect(event.type).toBe('checkout.session.completed');
    expect((await stripe.post(body, { 'Stripe-Signature': header })).body).toEqual(made);
  });
  it.each([-121, 121, -3600, 3600])('%i s away is refused', async (at) => {
    const body = fresh();
    await refused(stripe, body, { 'Stripe-Signature': signed(body, at) }, 'SIGNATURE_INVALID');
  });

  const now = () => String(secondsOf(app));
  const forged: [string, (body: string) => Record<string, string>][] = [
    ['no signature (A165)', () => ({})],
    ['an empty one', () => ({ 'Stripe-Signature': '' })],
    ['a garbled one (A165)', () => ({ 'Stripe-Signature': ';;;=,,t,v1' })],
    ['only v0 (A165)', (body) => ({ 'Stripe-Signature': `t=${now()},v0=${v1(body, now())}` })],
    [
      'v1 of another secret (A165)',
      (body) => ({ 'Stripe-Signature': `t=${now()},v1=${v1(body, now(), 'x'.repeat(20))}` }),
    ],
    ['a truncated v1', (body) => ({ 'Stripe-Signature': `t=${now()},v1=${v1(body, now()).slice(0, 62)}` })],
    ['a v1 of no digits', () => ({ 'Stripe-Signature': `t=${now()},v1=${'zz'.repeat(32)}` })],
    ['an empty v1', () => ({ 'Stripe-Signature': `t=${now()},v1=` })],
    [
      'two times, the signed one last',
      (body) => ({ 'Stripe-Signature': `t=1,t=${now()},v1=${v1(body, now())}` }),
    ],
    [
      'two times, the signed one first',
      (body) => ({ 'Stripe-Signature': `t=${now()},t=1,v1=${v1(body, now())}` }),
    ],
    [
      'a time with letters behind it',
      (body) => ({ 'Stripe-Signature': `t=${now()}x,v1=${v1(body, `${now()}x`)}` }),
    ],
    ['a negative time', (body) => ({ 'Stripe-Signature': `t=-1,v1=${v1(body, '-1')}` })],
    ['no time', (body) => ({ 'Stripe-Signature': `v1=${v1(body, '')}` })],
    [
      'the header of another processor',
      (body) => ({ 'X-Webhook-Signature': hmac(secret, body).toString('hex') }),
    ],
  ];
  it.each(forged)('refuses %s', async (_name, headersOf) => {
    const body = fresh();
    await refused(stripe, body, headersOf(body), 'SIGNATURE_INVALID');
  });
  it('refuses a body with one space more (A165)', async () => {
    const body = fresh();
    await refused(stripe, `${body} `, { 'Stripe-Signature': signed(body) }, 'SIGNATURE_INVALID');
  });
  it('accepts one right v1 among several', async () => {
    const body = fresh();
    const header = `t=${now()},v1=${'0'.repeat(64)},v1=${v1(body, now())},v0=abc`;
    expect((await stripe.post(body, { 'Stripe-Signature': header })).body).toEqual(made);
  });
  it('accepts the replaced secret for 24 hours', async () => {
    const shop = await openShop(app, 'STRIPE');
    await shop.map('price_1');
    await integrations.update(app.ctx, shop.id, { signingSecret: 'whsec_the_new_secret' });
    expect((await shop.send(checkout('old-secret'))).body).toEqual(made);
    expect((await shop.send(checkout('new-secret'), { secret: 'whsec_the_new_secret' })).body).toEqual(made);
    app.clock.advance(86_400);
    expect((await shop.send(checkout('too-old'))).body).toEqual(refusal('SIGNATURE_INVALID'));
  });
});

describe('payments processor B', () => {
  const body = () =>
    JSON.stringify({
      event_id: `sq-sig-${events++}`,
      type: 'payment.completed',
      data: {
        object: {
          payment: { id: `sq-pay-${events}`, buyer_email_address: 'b@x.test', reference_id: 'price_1' },
        },
      },
    });
  const url = () => integrations.endpointUrl(app.ctx.baseUrl, square.id);
  const header = 'x-square-hmacsha256-signature';

  it('is accepted where the official library accepts it', async () => {
    const sent = body();
    const signature = hmac(secret, url(), sent).toString('base64');
    const theirs = {
      requestBody: sent,
      signatureHeader: signature,
      signatureKey: secret,
      notificationUrl: url(),
    };
    expect(await WebhooksHelper.verifySignature(theirs)).toBe(true);
    expect((await square.post(sent, { [header]: signature })).body).toEqual(made);
  });
  const forged: [string, (sent: string) => string][] = [
    ['of another URL', (sent) => hmac(secret, `${url()}/`, sent).toString('base64')],
    [
      'of the URL that Host would give',
      (sent) => hmac(secret, `${app.url}/api/v1/webhooks/inbound/${square.id}x`, sent).toString('base64'),
    ],
    ['in hex', (sent) => hmac(secret, url(), sent).toString('hex')],
    ['without its padding', (sent) => hmac(secret, url(), sent).toString('base64').slice(0, 43)],
    ['with a space', (sent) => `${hmac(secret, url(), sent).toString('base64')}=`],
    ['of the body alone', (sent) => hmac(secret, sent).toString('base64')],
    ['that is empty', () => ''],
  ];
  it.each(forged)('refuses a signature %s', async (_name, signatureOf) => {
    const sent = body();
    await refused(square, sent, { [header]: signatureOf(sent) }, 'SIGNATURE_INVALID');
  });
  it('signs the configured URL byte for byte', async () => {
    const notificationUrl = 'https://Shop.x.test/hook?a=1';
    const shop = await openShop(app, 'SQUARE');
    await shop.map('price_1');
    await integrations.update(app.ctx, shop.id, { notificationUrl });
    const sent = body();
    const signature = (to: string) => ({ [header]: hmac(secret, to, sent).toString('base64') });
    await refused(shop, sent, signature(notificationUrl.toLowerCase()), 'SIGNATURE_INVALID');
    expect((await shop.post(sent, signature(notificationUrl))).body).toEqual(made);
  });
});

describe('another processor', () => {
  const right = (body: string) => hmac(secret, body).toString('hex');
  const wrong = '0'.repeat(64);
  const accepted: [string, (digest: string) => Record<string, string>][] = [
    ['X-Webhook-Signature', (digest) => ({ 'X-Webhook-Signature': digest })],
    ['with sha256=', (digest) => ({ 'X-Webhook-Signature': `sha256=${digest}` })],
    ['X-Signature', (digest) => ({ 'X-Signature': digest })],
    ['in upper case', (digest) => ({ 'X-Signature': digest.toUpperCase() })],
    ['both right (A169)', (digest) => ({ 'X-Webhook-Signature': digest, 'X-Signature': digest })],
    ['the first right', (digest) => ({ 'X-Webhook-Signature': digest, 'X-Signature': wrong })],
  ];
  it.each(accepted)('accepts %s', async (_name, headersOf) => {
    events += 1;
    const body = JSON.stringify(purchase(`gen-${events}`));
    expect((await generic.post(body, headersOf(right(body)))).body).toEqual(made);
  });
  const forged: [string, (digest: string) => Record<string, string>][] = [
    [
      'the first wrong, the second right (A169)',
      (digest) => ({ 'X-Webhook-Signature': wrong, 'X-Signature': digest }),
    ],
    ['the first empty, the second right', (digest) => ({ 'X-Webhook-Signature': '', 'X-Signature': digest })],
    ['none', () => ({})],
    ['an odd number of digits', (digest) => ({ 'X-Signature': digest.slice(1) })],
    ['sha512=', (digest) => ({ 'X-Signature': `sha512=${digest}` })],
    ['another secret', () => ({ 'X-Signature': hmac(`${secret}x`, 'x').toString('hex') })],
  ];
  it.each(forged)('refuses %s', async (_name, headersOf) => {
    events += 1;
    const body = JSON.stringify(purchase(`gen-${events}`));
    await refused(generic, body, headersOf(right(body)), 'SIGNATURE_INVALID');
  });
});

describe('configurations and bodies', () => {
  it.each(['', 'x'.repeat(15)])('a stored secret "%s" is no secret (A167)', async (short) => {
    const shop = await openShop(app, 'GENERIC');
    const sealed = app.ctx.keyring.seal('secret', short, `inbound:${shop.id}:secret`);
    await app.instance.database.transaction(({ knex }) =>
      knex('license_inbound_configs').where({ id: shop.id }).update({ secret_enc: sealed }),
    );
    const body = JSON.stringify(purchase('short'));
    await refused(shop, body, { 'X-Signature': hmac(short, body).toString('hex') }, 'SIGNATURE_INVALID');
  });
  it.each(['inb_01K00000000000000000000000', 'nothing', '%2e%2e', `${'x'.repeat(300)}`])(
    'configuration %s is unknown, and nothing is kept',
    async (id) => {
      const path = `/api/v1/webhooks/inbound/${id}`;
      const { result, changes } = await app.changesBy(() => app.post(path, purchase('unknown')));
      expect([result.status, result.body]).toEqual([200, refusal('CONFIG_NOT_FOUND', 'NOT_FOUND')]);
      expect(changes).toEqual({ events: [], rows: {} });
    },
  );
  it('one that is switched off or deleted answers like an unknown one', async () => {
    const shop = await openShop(app, 'GENERIC');
    await integrations.update(app.ctx, shop.id, { enabled: false });
    expect((await shop.send(purchase('off'))).body).toEqual(refusal('CONFIG_NOT_FOUND', 'NOT_FOUND'));
    await integrations.remove(app.ctx, shop.id);
    expect((await shop.send(purchase('off'))).body).toEqual(refusal('CONFIG_NOT_FOUND', 'NOT_FOUND'));
  });
  it('events of the wallet processor are unsupported (A179)', async () => {
    const shop = await openShop(app, 'GENERIC');
    await app.instance.database.transaction(({ knex }) =>
      knex('license_inbound_configs').where({ id: shop.id }).update({ processor: 'WALLET' }),
    );
    await refused(shop, JSON.stringify(purchase('wallet')), {}, 'UNSUPPORTED_PROCESSOR');
  });
  it.each([
    ['1 MiB is taken', 0, made],
    ['one byte more is too large', 1, refusal('TOO_LARGE')],
  ])('%s', async (name, more, expected) => {
    const body = JSON.stringify(purchase(name, { filler: '' }));
    const full = body.replace('"filler":""', `"filler":"${'x'.repeat(1_048_576 + more - body.length)}"`);
    const reply = await generic.send(full);
    expect([reply.status, reply.body]).toEqual([200, expected]);
  });
  it.each([
    ['nothing', ''],
    ['no JSON', '{"id":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no event name', '{"id":"x"}'],
    ['an event name that is no text', '{"id":"x","event":{}}'],
  ])('a signed body of %s is malformed', async (_name, body) => {
    await refused(generic, body, { 'X-Signature': hmac(secret, body).toString('hex') }, 'MALFORMED');
  });
  it('a signed body that is not UTF-8 is malformed', async () => {
    const body = Buffer.concat([
      Buffer.from('{"id":"x","event":"payment'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    await refused(generic, body, { 'X-Signature': hmac(secret, body).toString('hex') }, 'MALFORMED');
  });
  it('bytes are taken as they came, whatever headers call them', async () => {
    const body = JSON.stringify(purchase('as-it-came'));
    const signature = hmac(secret, body).toString('hex');
    const headers = {
      'X-Signature': signature,
      'Content-Type': 'text/plain; charset=latin1',
      'Content-Encoding': 'gzip',
    };
    expect((await generic.post(body, headers)).body).toEqual(made);
    await refused(
      generic,
      gzipSync(body),
      { 'X-Signature': signature, 'Content-Encoding': 'gzip' },
      'SIGNATURE_INVALID',
    );
  });
  it('a nest of 100,000 lists does no harm', async () => {
    const body = JSON.stringify(purchase('deep')).replace(
      '"quantity":1',
      `"quantity":1,"x":${'['.repeat(1e5)}${']'.repeat(1e5)}`,
    );
    expect((await generic.send(body)).body).toEqual(made);
  });
});

it('counts refusals by hour, reason and address, without what was sent', async () => {
  const shop = await openShop(app, 'GENERIC');
  for (let n = 0; n < 3; n++) await shop.post('{"secret":"body"}', { 'X-Signature': 'ab' });
  const rows = await app.instance.database.db.knex('license_inbound_refusals').where({ config_id: shop.id });
  expect(rows).toEqual([
    expect.objectContaining({
      hour: app.ctx.now().slice(0, 13),
      reason: 'SIGNATURE_INVALID',
      ip: '127.0.0.1',
      count: 3,
      detail: 'the signature is not 64 hex digits',
    }),
  ]);
});

it('leaves its reason in the request log, of the tenant that it belongs to', async () => {
  await generic.post('{}', { 'X-Signature': 'ab' });
  await flushRequests(app.ctx);
  const { items } = await requests.list(app.ctx, { page: 1, limit: 10, code: 'SIGNATURE_INVALID' });
  expect(items[0]).toMatchObject({ status: 200, route: '/api/v1/webhooks/inbound/{configId}' });
});
