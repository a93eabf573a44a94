// What the inbound endpoint makes of configurations and bodies (D101, D102, D114; rows A167, A179), and what it counts.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as requests from '#licensing/insight/requests/index.ts';
import { flushRequests } from '#licensing/insight/requests/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { hmac, openShop, purchase, type Shop, secret } from '../support/inbound.ts';

let app: TestApp;
let generic: Shop;
beforeAll(async () => {
  app = await startApp();
  generic = await openShop(app, 'GENERIC');
  await generic.map('price_1');
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
