// What the panel shows of signing keys, of purchases that come in and of recorded requests beside their facts.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { explain } from '#licensing/insight/requests/requests.ts';
import { redacted } from '#licensing/purchases/inbox/tabs.ts';
import { parsePublicKeys } from '#signing/keys/public-key-text.ts';
import { requestSample } from '../contract/staff/requests.ts';
import { fieldsOf, member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { keyOf, published, signedProduct } from './release-fixture.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const SECRET = 'a secret of the processor';
const codesIn = (html: string): string[] =>
  [...html.matchAll(/<code data-copy>([\s\S]*?)<\/code>/g)].map(([, text = '']) => text);
const decoded = (html: string): string =>
  html.replaceAll('&lt;', '<').replaceAll('&#39;', "'").replaceAll('&#34;', '"').replaceAll('&amp;', '&');

it('shows a public key in forms that each read back to the same key', async () => {
  const product = await signedProduct(app.ctx, 'tabs-key');
  const { keyId, publicKey } = keyOf();
  await published(app.ctx, product, '1.0.0');
  const { text } = await browser.open(`/admin/signing-keys/${keyId}`);
  const forms = codesIn(text).slice(0, 3).map(decoded);
  expect(forms).toHaveLength(3);
  for (const form of forms) expect(parsePublicKeys(form)).toEqual([publicKey]);
  expect(text).not.toContain('PRIVATE');
});

it('leads through a rotation, and says who could not follow', async () => {
  const [old, next] = [keyOf(21), keyOf(22)];
  const product = await signedProduct(app.ctx, 'tabs-rotation', {}, old);
  const path = `/admin/signing-keys/${old.keyId}?tab=rotation`;
  const before = await browser.open(path);
  expect(textOf(before.text)).toContain('appctl keys rotate --product tabs-rotation --key tabs-rotation.key');
  await published(app.ctx, product, '1.0.0', { key: old });
  app.clock.advance(60);
  const owner = await app.adminToken('owner');
  const made = await app.admin(`/products/${product.id}/keys`, owner, {
    body: { publicKey: next.publicKey.toString('base64') },
  });
  expect(made.status).toBe(201);
  const stuck = await browser.open(path);
  expect(textOf(stuck.text)).toContain('Without a bridging release for any platform');
  expect(stuck.text).toContain(`/admin/signing-keys/${next.keyId}/activate?product=tabs-rotation`);
  const offered = async (keyId: string) => {
    const { text } = await browser.open(`/admin/signing-keys/${keyId}?tab=history`);
    return ['activate', 'retire'].filter((one) => text.includes(`/admin/signing-keys/${keyId}/${one}"`));
  };
  expect([await offered(old.keyId), await offered(next.keyId)]).toEqual([['retire'], ['activate', 'retire']]);
  app.clock.advance(60);
  await published(app.ctx, product, '1.1.0', { key: old });
  const led = textOf((await browser.open(path)).text);
  expect(led).not.toContain('Without a bridging release');
  expect(led).toContain('1.1.0 stable, any platform');
  const { browser: reader } = await member(app, ['licensing:read']);
  expect((await reader.open(path)).text).not.toContain('/activate');
  const listed = await browser.open(`/admin/products/${product.id}?tab=signingKeys`);
  expect(listed.text).toContain(next.keyId);
  expect((await browser.open(`/admin/products/${product.id}?tab=onlineKeys`)).status).toBe(200);
});

async function integration(): Promise<{ id: string; url: string }> {
  const input = { name: 'tabs', processor: 'GENERIC', signingSecret: SECRET };
  const { body } = await app.admin('/integrations', await app.adminToken('owner'), { body: input });
  return { id: String(body.integration?.id), url: String(body.endpointUrl) };
}

it('maps an unmatched product from the event, and processes it again', async () => {
  const { id, url } = await integration();
  const product = await app.product();
  const external = 'plan <script>alert(1)</script>';
  const body = JSON.stringify({
    event: 'order.completed',
    id: 'e1',
    productId: external,
    email: 'ann@x.test',
  });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const sent = await app.send(`/api/v1/webhooks/inbound/${id}`, {
    body,
    headers: { 'X-Webhook-Signature': signature },
  });
  expect(sent.status).toBeLessThan(300);
  expect(codesIn((await browser.open(`/admin/integrations/${id}`)).text)).toContain(url);
  const list = await browser.open(`/admin/integrations/${id}/events?reason=UNMAPPED`);
  const path = /\/admin\/inbound-events\/\w+/.exec(list.text)?.[0] ?? '';
  const event = await browser.open(path);
  expect(event.text).not.toContain('<script>alert');
  const map = decoded(/<a href="([^"]*)">Map</.exec(event.text)?.[1] ?? '');
  const form = await browser.open(map);
  expect(fieldsOf(form.text).externalProductId).toBe(external);
  const mapped = await browser.post(map.split('?')[0] ?? '', {
    ...fieldsOf(form.text),
    productId: product.slug,
  });
  expect(mapped.status).toBe(303);
  await browser.post(`${path}/reprocess`, { _csrf: tokenIn(event.text) });
  expect(textOf((await browser.open(path)).text)).toContain('Licenses created');
  const shown = (await browser.open(`${path}?tab=body`)).text;
  expect(shown).not.toContain('ann@x.test');
  expect(decoded(shown)).toContain('"email": "***"');
});

it.each([
  ['{"customer_email":"a@x.test","amount":5}', { customer_email: '***', amount: 5 }],
  ['{"note":"write to a.b@x.test now"}', { note: 'write to *** now' }],
  ['{"card":{"last4":4242,"number":"4"},"id":"pi_1"}', { card: { last4: 4242, number: '4' }, id: 'pi_1' }],
  ['{"buyer":{"first_name":"Ann","phone":12}}', { buyer: { first_name: '***', phone: '***' } }],
  ['{"productName":"Editor"}', { productName: 'Editor' }],
])('hides in a body what is personal: %s', (body, shown) => {
  expect(JSON.parse(redacted(body) ?? '')).toEqual(shown);
});

it('shows nothing of a body that cannot be judged', () => {
  expect(redacted('email=a@x.test')).toBeNull();
});

it('explains a recorded request in words, and as a command', async () => {
  const { requestId } = await requestSample.make(app.ctx, 'GET /requests/{requestId}');
  const { method, route } = await explain(app.ctx, String(requestId));
  const { status, text } = await browser.open(`/admin/requests/${requestId}`);
  expect(status).toBe(200);
  expect(decoded(codesIn(text).at(-1) ?? '')).toContain(
    `curl -sS -X ${method} '${app.ctx.baseUrl}${route}' -H "X-API-Key: $APPCTL_API_KEY"`,
  );
});

it.each([
  ['products', 'signingKeys', 'Create one with appctl keys generate.'],
  ['licenses', 'machines', 'A machine appears here when an application activates a license on it.'],
  ['licenses', 'deliveries', 'Events of this license that are sent to webhooks appear here.'],
])('of %s an empty tab of %s says what would stand there, and how it gets there', async (list, tab, says) => {
  const product = await app.product();
  const { id } = list === 'products' ? product : await app.license({ productId: product.id });
  const { status, text } = await browser.open(`/admin/${list}/${id}?tab=${tab}`);
  expect([status, textOf(text)]).toEqual([200, expect.stringContaining('None yet.')]);
  expect(textOf(text)).toContain(says);
});
