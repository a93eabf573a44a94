// Who wants the newsletter: the same answer for everybody, the proof of consent, staff's list (storefront-domain 13).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { subscribe } from '#storefront/people/newsletter/index.ts';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { another, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const address = () => `reader${another()}@x.test`;
const ask = (email: string, path = '/shop/newsletter', more: Record<string, string> = {}) =>
  openBrowser(app.send).submit(path, { email, ...more });
const rowOf = async (email: string) =>
  (
    (await client.send(`/newsletter-subscribers?q=${encodeURIComponent(email)}`)).body.data as unknown as {
      id: string;
    }[]
  )[0];

it('the start page leads to the form, which is filled in there; it stores what was agreed to, and no session', async () => {
  const email = address();
  expect((await openBrowser(app.send).open('/shop/')).text).toContain('action="/shop/newsletter"');
  const form = await openBrowser(app.send).open(
    `/shop/newsletter?email=${encodeURIComponent(email)}&lang=de`,
  );
  expect(form.text).toContain(`value="${email}"`);
  expect(form.text).toContain('<meta name="robots" content="noindex">');
  const { result, changes } = await app.changesBy(() => ask(email, '/shop/newsletter?lang=de'));
  expect([result.status, result.headers.location]).toEqual([303, '/shop/newsletter?sent=1&lang=de']);
  expect(changes.events).toEqual(['subscriber.requested']);
  expect(Object.keys(changes.rows)).not.toContain('sessions');
  expect(await rowOf(email)).toMatchObject({
    email,
    status: 'pending',
    locale: 'de',
    consent_text: expect.stringContaining('Sie können sich jederzeit abmelden'),
    consent_at: expect.any(String),
    confirmed_at: null,
  });
  const thanks = await openBrowser(app.send).open('/shop/newsletter?sent=1');
  expect(thanks.text).toContain('We sent you an email to confirm your address');
});

it('an address that is known gets the same answer, in whatever spelling, and stays one row', async () => {
  const email = address();
  const first = await ask(email);
  const again = await ask(` ${email.toUpperCase()} `);
  expect([again.status, again.headers.location]).toEqual([first.status, first.headers.location]);
  const { body } = await client.send(`/newsletter-subscribers?q=${encodeURIComponent(email)}`);
  expect((body.pagination as unknown as { total: number }).total).toBe(1);
});

it('who has confirmed stays so, who has left is asked anew', async () => {
  const set = (email: string, status: string) =>
    app.instance.database.transaction(async ({ knex }) => {
      await knex('newsletter_subscribers').where({ email_norm: email }).update({ status });
    });
  const [confirmed, left] = [address(), address()];
  for (const email of [confirmed, left]) await ask(email);
  await set(confirmed, 'confirmed');
  await set(left, 'unsubscribed');
  for (const email of [confirmed, left]) expect((await ask(email)).status).toBe(303);
  expect([await rowOf(confirmed), await rowOf(left)]).toMatchObject([
    { status: 'confirmed' },
    { status: 'pending' },
  ]);
});

it('of many that ask for one address at once there is one row', async () => {
  const email = address();
  const request = { email, locale: 'en', consentText: 'Yes' };
  await Promise.all(Array.from({ length: 8 }, () => subscribe(app.ctx, request)));
  const rows = await app.instance.database.db.knex('newsletter_subscribers').where({ email_norm: email });
  expect(rows).toHaveLength(1);
});

it.each([
  ['nothing', ''],
  ['no address', 'reader'],
  ['two addresses', 'a@x.test,b@x.test'],
  ['a formula', '=1+1'],
])('%s is refused beside the field, which keeps it', async (_what, email) => {
  const { result, changes } = await app.changesBy(() => ask(email));
  expect(result.status).toBe(400);
  expect(result.text).toContain('Enter an email address');
  expect(result.text).toContain('aria-invalid="true"');
  expect(changes.rows).toEqual({});
});

it('a robot is told the same, and nothing is stored', async () => {
  const { result, changes } = await app.changesBy(() => ask(address(), '/shop/newsletter', { _hp: 'x' }));
  expect([result.status, changes.rows]).toEqual([303, {}]);
});

it('staff list, export and remove subscribers', async () => {
  const email = address();
  await ask(email);
  const { browser } = await member(app);
  const list = await browser.open(`/store/newsletter?status=pending&q=${encodeURIComponent(email)}`);
  expect(rowsOf(list.text)).toHaveLength(1);
  const id = (await rowOf(email))?.id ?? '';
  expect(textOf((await browser.open(`/store/newsletter/${id}`)).text)).toContain(
    'You can unsubscribe at any time',
  );
  const file = await client.send('/newsletter-subscribers/export.csv?status=pending');
  expect(file.text).toContain(email);
  const catalogue = await storeClient(app, 'catalogue');
  expect((await catalogue.send('/newsletter-subscribers')).status).toBe(403);
  expect(await client.data(`/newsletter-subscribers/${id}`, 'DELETE')).toEqual({ deleted: true });
  expect(await client.refusal(`/newsletter-subscribers/${id}`, 'DELETE')).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
});
