// Several licenses by one form of the panel: made once, their keys shown once, each fault beside its customer.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fieldsOf, member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const PATH = '/admin/licenses/new/several';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const opened = async () => fieldsOf((await browser.open(PATH)).text);

it('makes as many as are asked for, once, and offers their keys as CSV', async () => {
  const { slug } = await app.product();
  expect((await browser.open('/admin/licenses')).text).toContain(`href="${PATH}"`);
  const form = { ...(await opened()), productId: slug, emails: 'ann@x.test\r\n bob@x.test \r\n', each: '2' };
  const { result, changes } = await app.changesBy(() => browser.post(PATH, form));
  expect([result.status, changes.rows.licenses]).toEqual([200, '+4']);
  expect(rowsOf(result.text).map(([email, , made]) => [email, made])).toEqual([
    ['ann@x.test', 'Created'],
    ['ann@x.test', 'Created'],
    ['bob@x.test', 'Created'],
    ['bob@x.test', 'Created'],
  ]);
  const [, data = ''] = /href="data:text\/csv;charset=utf-8,([^"]*)"/.exec(result.text) ?? [];
  const lines = decodeURIComponent(data.replaceAll('&#39;', "'")).trim().split(/\r?\n/);
  expect(lines).toHaveLength(5);
  expect(lines[0]).toBe('email,key,id');
  const [, key = ''] = lines[1]?.split(',') ?? [];
  expect(rowsOf(result.text)[0]?.[1]).toBe(key);
  const again = await app.changesBy(() => browser.post(PATH, form));
  expect([again.result.status, again.changes.rows.licenses]).toEqual([200, undefined]);
  expect(rowsOf(again.result.text).map((row) => row[1])).toEqual(rowsOf(result.text).map((row) => row[1]));
});

it('offers the products by name, and says at its field what would be wrong with every license', async () => {
  const { slug, name } = await app.product();
  expect((await browser.open(PATH)).text).toContain(`<option value="${slug}">${name}</option>`);
  for (const [change, at, says] of [
    [{ emails: 'ann@x.test\n\n<b>bob</b>' }, 'emails', '"<b>bob</b>" in line 3 is not a valid email address'],
    [{ productId: 'nowhere' }, 'productId', 'Product nowhere was not found'],
    [{ type: 'TRIAL' }, 'validUntil', `Is required: a TRIAL needs an end date`],
    [{ maxActivations: '0' }, 'maxActivations', 'Must be at least 1'],
  ] as const) {
    const form = { ...(await opened()), productId: slug, emails: 'a@x.test', each: '1', ...change };
    const { result, changes } = await app.changesBy(() => browser.post(PATH, form));
    expect([at, result.status, result.text.includes(`id="field-${at}-error"`), changes]).toEqual([
      at,
      400,
      true,
      nothing,
    ]);
    expect(textOf(result.text)).toContain(says);
    expect(result.text).not.toContain('<b>bob');
  }
});

it('refuses none, too many, and a product of another tenant, and is for who may make licenses', async () => {
  const { slug } = await app.product();
  for (const [change, at] of [
    [{ emails: ' \n' }, 'emails'],
    [{ emails: 'a@x.test\nb@x.test', each: '51' }, 'each'],
    [{ emails: 'a@x.test', each: 'many' }, 'each'],
  ] as const) {
    const form = { ...(await opened()), productId: slug, ...change };
    const { result, changes } = await app.changesBy(() => browser.post(PATH, form));
    expect([at, result.status, result.text.includes(`href="#field-${at}"`), changes]).toEqual([
      at,
      400,
      true,
      nothing,
    ]);
  }
  const { tenantId } = await app.otherTenant();
  const { browser: stranger } = await member(app, undefined, tenantId);
  const theirs = fieldsOf((await stranger.open(PATH)).text);
  const { text } = await stranger.post(PATH, { ...theirs, productId: slug, emails: 'a@x.test' });
  expect(textOf(text)).toContain(`Product ${slug} was not found`);
  const { browser: reader } = await member(app, ['licensing:read']);
  expect((await reader.open(PATH)).status).toBe(403);
  expect((await reader.open('/admin/licenses')).text).not.toContain(PATH);
});
