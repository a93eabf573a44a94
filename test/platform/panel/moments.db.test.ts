// A day without a time: what ends takes its last moment, what begins its first, and a form shows what was understood.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { timestamp } from '#kernel/http/fields.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import { fieldsOf as formFields } from '#platform/panel/forms/fields.ts';
import { bodyOf } from '#platform/panel/forms/values.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { fieldsOf, member, textOf } from './staff.ts';

let app: TestApp;
let browser: Awaited<ReturnType<typeof member>>['browser'];
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const aLicense = async (): Promise<string> =>
  (await app.license({ validUntil: '2031-01-01T10:20:00.000Z' })).id;
const endOf = async (id: string): Promise<string | null> =>
  (await app.instance.database.db.knex('licenses').where({ id }).first()).valid_until;

it('a license is renewed until the end of a day, or until a time of it', async () => {
  const id = await aLicense();
  const path = `/admin/licenses/${id}/renew`;
  const { text } = await browser.open(path);
  expect(text).toMatch(/<input id="field-validUntil" name="validUntil" type="date"/);
  expect(textOf(text)).toContain('Without a time, the end of that day in UTC.');
  const sent = { ...fieldsOf(text), validUntil: '2032-05-06', 'validUntil.time': '' };
  expect((await browser.post(path, sent)).status).toBe(303);
  expect(await endOf(id)).toBe('2032-05-06T23:59:59.999Z');

  const next = { ...fieldsOf((await browser.open(path)).text), validUntil: '2033-05-06' };
  await browser.post(path, { ...next, 'validUntil.time': '08:30' });
  expect(await endOf(id)).toBe('2033-05-06T08:30:00.000Z');
});

it('the form of a change shows day and time, keeps what is not touched, and clears both at once', async () => {
  const id = await aLicense();
  const path = `/admin/licenses/${id}/edit`;
  const form = fieldsOf((await browser.open(path)).text);
  expect([form.validUntil, form['validUntil.time']]).toEqual(['2031-01-01', '10:20']);
  const same = await app.changesBy(() => browser.post(path, form));
  expect([same.result.status, same.changes.rows.licenses]).toEqual([303, undefined]);

  await browser.post(path, { ...form, 'validUntil.time': '' });
  expect(await endOf(id)).toBe('2031-01-01T23:59:59.999Z');
  const ended = fieldsOf((await browser.open(path)).text);
  expect([ended.validUntil, ended['validUntil.time']]).toEqual(['2031-01-01', '23:59:59.999']);
  await browser.post(path, { ...ended, validUntil: '' });
  expect(await endOf(id)).toBeNull();
});

it('a time without a day and a day that no calendar has are refused at the field, with what was typed', async () => {
  const path = `/admin/licenses/${await aLicense()}/renew`;
  const form = fieldsOf((await browser.open(path)).text);
  const timeAlone = await browser.post(path, { ...form, validUntil: '', 'validUntil.time': '08:30' });
  expect([timeAlone.status, textOf(timeAlone.text)]).toEqual([
    400,
    expect.stringContaining('needs a day as well as the time'),
  ]);
  expect(fieldsOf(timeAlone.text)).toMatchObject({ validUntil: '', 'validUntil.time': '08:30' });
  const noDay = await browser.post(path, { ...form, validUntil: '2032-02-31', 'validUntil.time': '' });
  expect([noDay.status, fieldsOf(noDay.text).validUntil]).toEqual([400, '2032-02-31']);
});

it('what begins on a day begins with its first moment', async () => {
  const { webhook } = await webhooks.create(app.ctx, licenseWebhooks, {
    url: 'https://hooks.example.com/moments',
    events: ['*'],
  });
  const { text } = await browser.open(`/admin/webhooks/${webhook.id}/replay`);
  expect(textOf(text)).toMatch(
    /From \(UTC\) Without a time, the start of that day in UTC\. To .*Without a time, the end of that day in UTC\./,
  );
  const fields = formFields(z.object({ from: timestamp(), to: timestamp().optional() }));
  expect(bodyOf(fields, { from: '2031-02-03', to: '2031-02-03' })).toEqual({
    from: '2031-02-03T00:00:00.000Z',
    to: '2031-02-03T23:59:59.999Z',
  });
});
