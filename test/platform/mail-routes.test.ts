// Where mails go: a server, a folder, or nowhere yet (storefront-domain 13; reliability M28, A207).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { defineMail, isMailSent, mailOutcome, passwordResetMail, queueMail } from '#platform/mail/index.ts';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { makeCertificate } from '../support/certificate.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { emailsOf, type MailServer, mailWorker, openMailServer, parseMail } from '../support/smtp-server.ts';

const hello = defineMail({ key: 'email_test', sample: {} });

const toClose: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of toClose.splice(0).reverse()) await one.close();
});

async function start(options: Parameters<typeof startApp>[0]): Promise<TestApp> {
  const app = await startApp(options);
  toClose.push(app);
  return app;
}

async function listen(options: Parameters<typeof openMailServer>[0] = {}): Promise<MailServer> {
  const server = await openMailServer(options);
  toClose.push(server);
  return server;
}

const queue = (app: TestApp, address = 'ann@mail.example', name: string | null = null) =>
  app.ctx.tx((ctx) =>
    queueMail(ctx, hello, { to: { address, name }, locale: 'en', values: {}, dedupe: `${address} ${name}` }),
  );
const send = (app: TestApp): Promise<void> => mailWorker(app.ctx).idle();
const only = async (app: TestApp) => (await emailsOf(app.ctx))[0];

test('without a server mails wait, at no cost of an attempt, and go out when one is named', async () => {
  const server = await listen();
  const app = await start({ pins: { smtp_secure: 'none' } });
  expect(await isMailSent(app.ctx)).toBe(false);
  expect(
    await mailOutcome(app.ctx, 'It leaves.', { to: 'ann@mail.example', instead: 'Copy the link.' }),
  ).toEqual({
    text: 'The email to ann@mail.example waits: no mail server is set up. Copy the link.',
    isSent: false,
  });
  await queue(app);
  await send(app);
  expect(await only(app)).toMatchObject({ status: 'queued', attempts: 0 });
  await settings.setSeveral(app.ctx, 'email', { smtp_host: '127.0.0.1', smtp_port: server.port });
  app.clock.advance(61);
  await send(app);
  expect(await only(app)).toMatchObject({ status: 'queued', attempts: 0 });
  await settings.set(app.ctx, { key: 'email_from_address', value: 'shop@shop.example' });
  app.clock.advance(61);
  await send(app);
  expect(await only(app)).toMatchObject({ status: 'sent', attempts: 1 });
  expect(server.mails).toHaveLength(1);
});

test('while the program is tried, mails are files in its folder, in place of a server', async () => {
  const app = await start({ productionMode: false });
  await queue(app);
  await send(app);
  const folder = join(app.ctx.dataDir, 'mail');
  const [file, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  const mail = parseMail(readFileSync(join(folder, file ?? ''), 'utf8'));
  expect(mail.headers.to).toBe('ann@mail.example');
  expect(mail.subject).toBe('Test email from 127.0.0.1');
});

describe('the configuration', () => {
  test('names a server and fixes the settings', async () => {
    const server = await listen({ user: { name: 'me@x', password: 'a/b%' } });
    const url = server.url.replace('smtp://', 'smtp://me%40x:a%2Fb%25@');
    const app = await start({ env: { APPCTL_SMTP_URL: url, APPCTL_MAIL_FROM: 'post@shop.example' } });
    await queue(app);
    await send(app);
    expect(server.mails[0]?.envelope.from).toBe('post@shop.example');
    expect(settings.get(app.ctx, 'smtp_password')).toMatchObject({
      value: '***',
      pinnedBy: 'APPCTL_SMTP_URL',
    });
    expect(settings.get(app.ctx, 'smtp_secure')).toMatchObject({
      value: 'none',
      pinnedBy: 'APPCTL_SMTP_URL',
    });
    const change = settings.set(app.ctx, { key: 'smtp_host', value: 'other.example' });
    await expect(change).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('names a folder, also of a server in service', async () => {
    const folder = scratchFolder('appctl-mail-');
    const app = await start({ env: { APPCTL_SMTP_URL: `file:${folder}` } });
    await queue(app);
    await send(app);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('says what is wrong with an address, without its password', async () => {
    for (const url of [
      'http://x',
      'smtp://u:secret-word@',
      'smtp://u:secret-word@x?secure=maybe',
      'smtp://u:secret-word%zz@x',
    ]) {
      const failed = await startApp({ env: { APPCTL_SMTP_URL: url } }).catch((error: unknown) => error);
      expect(String((failed as Error).message)).toContain('mail.url');
      expect(String((failed as Error).message)).not.toContain('secret-word');
    }
  });
});

describe('encryption', () => {
  test('is demanded: a server without STARTTLS gets neither mail nor password', async () => {
    const server = await listen({ user: { name: 'me', password: 'word' } });
    const app = await start({
      env: {
        APPCTL_SMTP_URL: server.url.replace('//', '//me:word@').replace('none', 'starttls'),
        APPCTL_MAIL_FROM: 'post@shop.example',
      },
    });
    await queue(app);
    await send(app);
    expect(await only(app)).toMatchObject({ status: 'queued', attempts: 1 });
    expect([server.mails, server.refused]).toEqual([[], []]);
  });

  test('is checked: a certificate that nobody vouches for is refused', async () => {
    const server = await listen({ tls: makeCertificate(['IP:127.0.0.1']) });
    const app = await start({
      env: { APPCTL_SMTP_URL: server.url.replace('none', 'starttls'), APPCTL_MAIL_FROM: 'post@shop.example' },
    });
    await queue(app);
    await send(app);
    expect(server.mails).toEqual([]);
    expect((await only(app))?.error).toContain('self-signed certificate');
  });

  test('is there before a password goes to another machine', async () => {
    const app = await start({
      env: { APPCTL_SMTP_URL: 'smtp://me:word@192.0.2.1?secure=none', APPCTL_MAIL_FROM: 'post@shop.example' },
    });
    expect(await isMailSent(app.ctx)).toBe(false);
  });
});

test('a wrong password is no reason to give up a mail', async () => {
  const server = await listen({ user: { name: 'me', password: 'word' } });
  const app = await start({
    env: {
      APPCTL_SMTP_URL: server.url.replace('//', '//me:wrong-word@'),
      APPCTL_MAIL_FROM: 'post@shop.example',
    },
  });
  await queue(app);
  await send(app);
  const row = await only(app);
  expect(row).toMatchObject({ status: 'queued', attempts: 1 });
  expect(row?.error).toContain('refused the user name or the password');
  expect(row?.error).not.toContain('wrong-word');
});

test('whatever a name says, the mail has one recipient and no header of its making', async () => {
  const server = await listen();
  const app = await start({
    env: {
      APPCTL_SMTP_URL: server.url,
      APPCTL_MAIL_FROM: 'post@shop.example',
      APPCTL_SETTING_EMAIL_FROM_NAME: '=?utf-8?q?Shop=0D=0ABcc:_evil@x.co?=',
    },
  });
  const names = [
    'Ann\r\nBcc: evil@x.co',
    'Ann\nSubject: other',
    '"Ann" <evil@x.co>',
    'Ann, evil@x.co',
    'evil@x.co;',
    'group: a@x.co, b@x.co;',
    'Ann (evil@x.co)',
    'Ann\u2028Bcc: evil@x.co',
    '=?utf-8?q?Ann=0D=0ABcc:_evil@x.co?=',
    'Ann\0evil',
    '\\"Ann',
    `${'x'.repeat(500)}`,
    'Ünï Cödé 测试',
    '/etc/passwd',
    'http://evil.example/',
  ];
  for (const name of names) await queue(app, 'ann@mail.example', name);
  await send(app);
  expect(server.mails).toHaveLength(names.length);
  for (const { envelope, headers, raw } of server.mails) {
    expect(envelope.to).toEqual(['ann@mail.example']);
    expect(Object.keys(headers).sort()).toEqual(
      [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ].sort(),
    );
    expect(raw).not.toMatch(/^Bcc:/im);
    // As a receiver decodes them.
    for (const name of ['to', 'from', 'subject']) expect(headers[name]).not.toMatch(/[\r\n]/);
  }
});

test('what a value says cannot end the mail and begin another one', async () => {
  const server = await listen();
  const app = await start({
    env: { APPCTL_SMTP_URL: server.url, APPCTL_MAIL_FROM: 'post@shop.example' },
  });
  const odd = [
    'a\r\n.\r\nMAIL FROM:<evil@x.co>\r\nRCPT TO:<evil@x.co>\r\nDATA\r\nhello',
    'a\n.\nQUIT\n',
    '.\r\n..\r\n.',
    'a\r.\rb',
    '--boundary--\r\n\r\nContent-Type: text/html\r\n\r\n<script>1</script>',
  ];
  for (const [at, ip] of odd.entries())
    await app.ctx.tx((ctx) =>
      queueMail(ctx, passwordResetMail, {
        to: { address: 'ann@mail.example' },
        locale: 'en',
        values: { reset_url: 'https://shop.example/x', ip },
        dedupe: `odd ${at}`,
      }),
    );
  await send(app);
  expect(server.mails.map(({ envelope }) => envelope)).toEqual(
    odd.map(() => ({ from: 'post@shop.example', to: ['ann@mail.example'] })),
  );
  for (const { html, text } of server.mails) {
    expect(html).not.toContain('<script>');
    expect(html.trimEnd().endsWith('</html>')).toBe(true);
    expect(text).toContain('https://shop.example/x');
  }
});
