// The contact form: by its page without a script and by JSON; what came of it for staff (shop-pages 2.1).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as settings from '#platform/settings/index.ts';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { another, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const fields = (more: Record<string, string> = {}) => ({
  name: 'Ann',
  email: `ann${another()}@x.test`,
  subject: `Question ${another()}`,
  message: 'Is it blue?\nOr <b>green</b>?',
  ...more,
});
type Listed = { id: string; email: string; status: string; subject: string | null };
const listed = async (q = ''): Promise<Listed[]> =>
  (await client.send(`/messages?per_page=100&q=${encodeURIComponent(q)}`)).body.data as unknown as Listed[];
const write = async (more: object = {}): Promise<Listed> => {
  const body = { ...fields(), ...more };
  await app.send('/api/shop/contact', { method: 'POST', body });
  return (await listed(body.email))[0] as Listed;
};

it('the form stores what was written, leads on and thanks; no session is stored', async () => {
  const browser = openBrowser(app.send);
  const sent = fields();
  const { result, changes } = await app.changesBy(() => browser.submit('/shop/contact', sent));
  expect([result.status, result.headers.location]).toEqual([303, '/shop/contact?sent=1']);
  expect(changes.events).toEqual(['message.received']);
  expect(Object.keys(changes.rows)).not.toContain('sessions');
  expect((await browser.open('/shop/contact?sent=1')).text).toContain('We received your message');
  const [message] = await listed(sent.email);
  expect(message).toMatchObject({ ...sent, locale: 'en', status: 'open', done_at: null });
});

it('says in the language of the page what is wrong, and keeps what was typed', async () => {
  const browser = openBrowser(app.send);
  const { result, changes } = await app.changesBy(() =>
    browser.submit(
      '/shop/contact?lang=de',
      fields({ email: 'no address', message: ' ', subject: 'Keep "me"' }),
    ),
  );
  expect(result.status).toBe(400);
  expect(result.text).toContain('Bitte prüfen Sie Ihre Eingaben');
  expect(result.text).toContain('href="#field-email"');
  expect(result.text).toContain('aria-describedby="field-message-error"');
  expect(result.text).toContain('value="Keep &#34;me&#34;"');
  expect(changes.rows).toEqual({});
  expect((await browser.submit('/shop/contact', fields({ _csrf: 'x' }))).status).toBe(403);
});

it.each([
  ['no message', { message: undefined }, 'VALIDATION_MISSING_FIELD'],
  ['no email', { email: undefined }, 'VALIDATION_MISSING_FIELD'],
  ['an email that is none', { email: 'a@b' }, 'VALIDATION_ERROR'],
  ['a number as a message', { message: 5 }, 'VALIDATION_ERROR'],
  ['a message that is too long', { message: 'x'.repeat(5001) }, 'VALIDATION_ERROR'],
  ['a zero character', { message: 'a\u0000b' }, 'VALIDATION_ERROR'],
  ['a subject that is too long', { subject: 'x'.repeat(201) }, 'VALIDATION_ERROR'],
])('the JSON refuses %s', async (_what, more, code) => {
  const reply = await app.send('/api/shop/contact', { method: 'POST', body: { ...fields(), ...more } });
  expect([reply.status, reply.body.error_code]).toEqual([400, code]);
});

const broken = ['\r\n', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029'];
it('a subject is one line: it becomes a header of a mail', async () => {
  for (const sign of broken) {
    const body = fields({ subject: `Hello${sign}Bcc: eve@x.test` });
    const reply = await app.send('/api/shop/contact', { method: 'POST', body });
    expect([sign, reply.status, reply.body]).toEqual([
      sign,
      400,
      expect.objectContaining({
        error_code: 'VALIDATION_ERROR',
        error: 'subject must be one line without control characters',
      }),
    ]);
  }
  const browser = openBrowser(app.send);
  const sent = fields({ subject: 'Hello\r\nBcc: eve@x.test' });
  const { result, changes } = await app.changesBy(() => browser.submit('/shop/contact?lang=de', sent));
  expect([result.status, changes.rows]).toEqual([400, {}]);
  expect(result.text).toContain('Schreiben Sie das in eine einzige Zeile.');
  const tooLong = await browser.submit('/shop/contact?lang=de', fields({ subject: 'x'.repeat(201) }));
  expect(tooLong.text).toContain('Dieser Text ist zu lang.');
  expect((await write({ subject: '  Grüße, 猫 \n' })).subject).toBe('Grüße, 猫');
});

it('a robot is told the same, and nothing is stored', async () => {
  const body = { ...fields(), _hp: 'http://spam.test', unknown: 1 };
  const { result, changes } = await app.changesBy(() =>
    app.send('/api/shop/contact', { method: 'POST', body }),
  );
  expect([result.status, result.body]).toEqual([200, { success: true, data: { sent: true } }]);
  expect([changes.events, changes.rows]).toEqual([[], {}]);
  const form = await openBrowser(app.send).submit('/shop/contact', { ...fields(), _hp: 'x' });
  expect(form.headers.location).toBe('/shop/contact?sent=1');
});

it('staff mark it as done, reopen it and remove it', async () => {
  const { id } = await write();
  const { result, changes } = await app.changesBy(() => client.data(`/messages/${id}/done`, 'POST', {}));
  expect(result).toMatchObject({ status: 'done', done_at: expect.any(String) });
  expect(changes.events).toEqual(['message.done']);
  const again = await app.changesBy(() => client.data(`/messages/${id}/done`, 'POST', {}));
  expect(again.changes.events).toEqual([]);
  expect(await client.data(`/messages/${id}/reopen`, 'POST', {})).toMatchObject({
    status: 'open',
    done_at: null,
  });
  expect(await client.data(`/messages/${id}`, 'DELETE')).toEqual({ deleted: true });
  expect(await client.refusal(`/messages/${id}`, 'GET')).toEqual([404, 'NOT_FOUND', undefined]);
  expect(await client.refusal('/messages/cms_no/done', 'POST', {})).toEqual([404, 'NOT_FOUND', undefined]);
  for (const query of ['page=0', 'page=-1', 'status=gone', 'sort=secret'])
    expect((await client.send(`/messages?${query}`)).status).toBe(400);
});

it('is for staff who may see customers', async () => {
  const { id } = await write();
  const fulfilment = await storeClient(app, 'fulfilment');
  expect((await fulfilment.send(`/messages/${id}`)).status).toBe(200);
  expect((await fulfilment.send(`/messages/${id}/done`, 'POST', {})).status).toBe(403);
  const catalogue = await storeClient(app, 'catalogue');
  expect((await catalogue.send('/messages')).status).toBe(403);
  expect((await app.get('/api/store/messages')).status).toBe(401);
});

it('the panel lists, filters and shows it as text; a spreadsheet takes no formula from it', async () => {
  const mark = `=Sum ${another()}`;
  const { id } = await write({ subject: mark });
  const { browser } = await member(app);
  const list = await browser.open(`/store/messages?status=open&q=${encodeURIComponent(mark)}`);
  expect(rowsOf(list.text)).toHaveLength(1);
  const shown = await browser.open(`/store/messages/${id}`);
  expect(textOf(shown.text)).toContain('Or <b>green</b>?');
  const file = await client.send(`/messages/export.csv?q=${encodeURIComponent(mark)}`);
  expect(file.text).toContain(`'${mark}`);
  const home = await browser.open('/store/products');
  expect(textOf(home.text)).toMatch(/\d+ messages? to answer/);
});

it('goes some time after it was done, and not before', async () => {
  const [open, done] = [await write(), await write()];
  await client.data(`/messages/${done.id}/done`, 'POST', {});
  await settings.setTexts(app.ctx, { contact_message_days: '30' });
  const left = async () => {
    await runJob(app.ctx, 'purge-messages');
    const rows: { id: string }[] = await app.instance.database.db.knex('contact_messages').select('id');
    return rows.map(({ id }) => id).filter((id) => id === open.id || id === done.id);
  };
  app.clock.advance(29 * 86_400);
  expect((await left()).sort()).toEqual([open.id, done.id].sort());
  app.clock.advance(2 * 86_400);
  expect(await left()).toEqual([open.id]);
});
