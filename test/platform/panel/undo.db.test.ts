// What was just done is taken back by the button beside the note of it, where something takes it back.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintedLicense } from '../../contract/staff/minted.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { member, textOf } from './staff.ts';

const LIST = '/admin/licenses';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

/** The form of the button; null where there is none. */
function undoIn(html: string) {
  const [form] = [...html.matchAll(/<form[\s\S]*?<\/form>/g)]
    .map(([one]) => one)
    .filter((one) => />Undo</.test(one));
  if (form === undefined) return null;
  const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: /action="([^"]*)"/.exec(form)?.[1] ?? '',
    fields: fields.map(([, name = '', value = '']) => [name, value]),
  };
}
const send = (path: string, fields: unknown, as = browser) => as.post(path, fields as Record<string, string>);
async function press(html: string) {
  const undo = undoIn(html);
  expect(undo).not.toBeNull();
  return send(undo?.action ?? '', undo?.fields);
}
/** Sends the form of a page that asks first. */
const act = async (path: string, fields: Record<string, string> = {}) => browser.submit(path, fields);
const statusOf = async (id: string): Promise<string> =>
  (await app.ctx.db.knex('licenses').where({ id }).first('status')).status;

it('a license that was suspended is resumed', async () => {
  const { id } = await mintedLicense(app.ctx);
  const { headers } = await act(`${LIST}/${id}/suspend`, { reason: 'unpaid' });
  expect([headers.location, await statusOf(id)]).toEqual([`${LIST}/${id}?done=suspend`, 'SUSPENDED']);
  const { text } = await browser.open(headers.location ?? '');
  const done = await press(text);
  expect([done.status, await statusOf(id)]).toEqual([303, 'ACTIVE']);
  // There is nothing to take back any more, whatever the address says.
  expect(undoIn((await browser.open(`${LIST}/${id}?done=suspend`)).text)).toBeNull();
  expect(undoIn((await browser.open(`${LIST}/${id}?done=constructor`)).text)).toBeNull();
});

it('a license in the trash is restored from the list that it left', async () => {
  const { id } = await mintedLicense(app.ctx);
  const { headers } = await act(`${LIST}/${id}/remove`);
  expect(headers.location).toBe(`${LIST}?done=remove&of=${id}`);
  const { text } = await browser.open(headers.location ?? '');
  expect(textOf(text)).toContain('The license was deleted.');
  expect(undoIn(text)?.action).toBe(`${LIST}/${id}/restore`);
  expect((await press(text)).status).toBe(303);
  expect(undoIn((await browser.open(headers.location ?? '')).text)).toBeNull();
  expect(undoIn((await browser.open(`${LIST}?done=remove&of=%00x`)).text)).toBeNull();
});

it('many are taken back together when every one of them was changed', async () => {
  const ids = [(await mintedLicense(app.ctx)).id, (await mintedLicense(app.ctx)).id];
  const token = undoIn((await browser.open(LIST)).text);
  expect(token).toBeNull();
  const page = await browser.open('/admin/profile/preferences');
  const csrf = /name="_csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  const run = (given: readonly string[]) =>
    send(`${LIST}/bulk`, [
      ['_csrf', csrf],
      ['action', 'suspend'],
      ['sure', 'true'],
      ...given.map((id) => ['ids', id]),
    ]);
  const { text } = await run(ids);
  const done = await press(text);
  expect([done.status, await statusOf(ids[0] ?? ''), await statusOf(ids[1] ?? '')]).toEqual([
    200,
    'ACTIVE',
    'ACTIVE',
  ]);
  // One that was refused is none that could be taken back.
  expect(undoIn((await run([ids[0] ?? '', 'lic_00000000000000000000000000'])).text)).toBeNull();
});

it('who may not take it back is not offered it', async () => {
  const { id } = await mintedLicense(app.ctx);
  await act(`${LIST}/${id}/suspend`, { reason: 'unpaid' });
  const { browser: reader } = await member(app, ['licensing:read']);
  const { status, text } = await reader.open(`${LIST}/${id}?done=suspend`);
  expect([status, undoIn(text)]).toEqual([200, null]);
});
