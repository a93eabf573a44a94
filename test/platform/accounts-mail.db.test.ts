// Links to accounts by mail: a forgotten password, an invitation (reliability M14, A055).
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { emailsOf, type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';

let app: TestApp;
let server: MailServer;
beforeAll(async () => {
  server = await openMailServer();
  app = await startApp({
    env: { APPCTL_SMTP_URL: server.url, APPCTL_MAIL_FROM: 'post@shop.example' },
  });
  await accounts.create(app.ctx, {
    email: 'ann@mail.example',
    name: 'Ann',
    password: 'a-long-enough-word',
    roles: ['viewer'],
  });
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(() => {
  server.mails.length = 0;
});

const send = (): Promise<void> => mailWorker(app.ctx).idle();
const ask = (email: string, headers = {}) =>
  openBrowser(app.send).submit('/admin/forgot-password', { email }, headers);
const linkIn = (text: string): string => /https?:\/\/\S+/.exec(text)?.[0] ?? '';

test('whoever forgot the password gets a link, which the configured address begins, whatever a request says', async () => {
  const asked = await ask(' ANN@mail.example ', {
    'X-Forwarded-Host': 'evil.test',
    Forwarded: 'host=evil.test',
  });
  expect([asked.status, asked.text.includes('If this address has an account')]).toEqual([200, true]);
  await send();
  const [mail, ...others] = server.mails;
  expect(others).toEqual([]);
  expect(mail?.envelope.to).toEqual(['ann@mail.example']);
  const link = linkIn(mail?.text ?? '');
  expect(link.startsWith(`${app.url}/admin/reset-password/`)).toBe(true);
  const path = new URL(link).pathname;
  const chosen = { password: 'another-long-word', repeated: 'another-long-word' };
  const browser = openBrowser(app.send);
  expect((await browser.open(path)).status).toBe(200);
  const form = (await browser.open(path)).text;
  const names = [...form.matchAll(/name="(\w+)" type="password"/g)].map(([, name = '']) => name);
  const set = await browser.submit(path, Object.fromEntries(names.map((name) => [name, chosen.password])));
  expect(set.status).toBe(200);
  expect((await browser.open(path)).status).toBe(404);
});

test('an address without an account gets the same answer, and no mail', async () => {
  app.clock.advance(61);
  const [known, unknown] = [await ask('ann@mail.example'), await ask('nobody@mail.example')];
  expect(known.status).toBe(unknown.status);
  const plain = (text: string) => text.replaceAll(/value="[^"]*"|nonce="[^"]*"/g, '');
  expect(plain(known.text)).toBe(plain(unknown.text));
  await send();
  expect(server.mails.map(({ envelope }) => envelope.to)).toEqual([['ann@mail.example']]);
});

test('one link a minute is mailed, and it stays good when more are asked for', async () => {
  app.clock.advance(61);
  for (let n = 0; n < 3; n += 1) await ask('ann@mail.example');
  await send();
  expect(server.mails).toHaveLength(1);
  const path = new URL(linkIn(server.mails[0]?.text ?? '')).pathname;
  expect((await openBrowser(app.send).open(path)).status).toBe(200);
});

test('somebody who is invited gets the link by mail, and it is nowhere in the table', async () => {
  const { link } = await accounts.invite(app.ctx, { email: 'bob@mail.example', name: 'Bob' });
  const rows = (await emailsOf(app.ctx)).filter(({ template }) => template === 'admin_invite');
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(link.url.slice(-20));
  await send();
  expect(linkIn(server.to('bob@mail.example')[0]?.text ?? '')).toBe(link.url);
});
