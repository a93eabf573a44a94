// Addresses that mail servers refuse for good, and what advertises (decision 0087; RFC 8058).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineMail, passwordResetMail, queueMail } from '#platform/mail/index.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { member, textOf } from './panel/staff.ts';

let app: TestApp;
let server: MailServer;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  server = await openMailServer();
  app = await startApp({
    pins: {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
    },
  });
  client = await storeClient(app);
});
afterAll(async () => {
  await app.close();
  await server.close();
});

let count = 0;
async function queued(address: string): Promise<string> {
  count += 1;
  const values = { reset_url: 'https://shop.example/x', ip: '192.0.2.1' };
  const id = await app.ctx.tx((ctx) =>
    queueMail(
      ctx,
      { ...passwordResetMail, isSecret: false },
      { to: { address }, locale: 'en', values, dedupe: String(count) },
    ),
  );
  return id ?? '';
}
const send = (): Promise<void> => mailWorker(app.ctx).idle();
const mail = async (id: string) => client.data(`/email-log/${id}`);
const blocks = async (query = '') =>
  (await client.send(`/email-blocks${query}`)).body.data as unknown as Record<string, unknown>[];

test('an address that is refused for good gets nothing more until staff lift the block', async () => {
  server.refuseTo('Gone@mail.example', 550);
  const first = await queued('Gone@mail.example');
  await send();
  expect(await mail(first)).toMatchObject({ status: 'failed', attempts: 1 });
  const [block] = await blocks();
  expect(block).toMatchObject({ address: 'Gone@mail.example', email_log_id: first });
  expect(block?.reason).toContain('550');
  const second = await queued('gone@MAIL.example');
  await send();
  expect(await mail(second)).toMatchObject({
    status: 'suppressed',
    error: expect.stringContaining('this address is blocked since'),
  });
  expect(server.mails).toEqual([]);
  server.refuseTo('Gone@mail.example', 0);
  expect(await client.data(`/email-blocks/${block?.id}`, 'DELETE')).toEqual({ deleted: true });
  await client.data(`/email-log/${second}/resend`, 'POST');
  await send();
  expect(await mail(second)).toMatchObject({ status: 'sent' });
  expect(await client.refusal(`/email-blocks/${block?.id}`, 'DELETE')).toEqual([404, 'NOT_FOUND', undefined]);
});

test('one that is refused for now, for the sender or for what the mail says is not blocked', async () => {
  for (const code of [450, 552, 554]) {
    const address = `full${code}@mail.example`;
    server.refuseTo(address, code);
    await queued(address);
  }
  server.refuse(550);
  await queued('content@mail.example');
  await send();
  expect(await blocks()).toEqual([]);
});

test('the panel lists blocked addresses and lifts a block', async () => {
  server.refuseTo('moved@mail.example', 551);
  await queued('moved@mail.example');
  await send();
  const { browser } = await member(app);
  const list = await browser.open('/store/settings/email-blocks');
  expect(textOf(list.text)).toContain('moved@mail.example');
  expect(await blocks('?address=moved')).toHaveLength(1);
});

test('a mail that advertises ends at one press in the mail program; others have no such header', async () => {
  const newsMail = defineMail({
    key: 'email_test',
    placeholders: ['unsubscribe_url'],
    sample: { unsubscribe_url: 'https://shop.example/u/abc' },
    isMarketing: true,
  });
  const url = 'https://shop.example/shop/unsubscribe/abc-DEF_1';
  const write = (address: string, unsubscribe_url: string) =>
    app.ctx.tx((ctx) =>
      queueMail(ctx, newsMail, {
        to: { address },
        locale: 'en',
        values: { unsubscribe_url },
        dedupe: address,
      }),
    );
  await write('news@mail.example', url);
  await write('odd@mail.example', 'https://x.example/a>\r\nBcc: evil@x.example');
  await queued('plain@mail.example');
  await send();
  expect(server.to('news@mail.example')[0]?.headers).toMatchObject({
    'list-unsubscribe': `<${url}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
  });
  for (const address of ['odd@mail.example', 'plain@mail.example']) {
    const { headers } = server.to(address)[0] ?? { headers: {} as Record<string, string> };
    expect([headers['list-unsubscribe'], headers.bcc]).toEqual([undefined, undefined]);
  }
});
