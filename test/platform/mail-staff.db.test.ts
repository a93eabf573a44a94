// What staff sees of mails, and what they do with them (storefront-api.md AJ and AK).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { passwordResetMail, queueMail } from '#platform/mail/index.ts';
import * as settings from '#platform/settings/index.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { member, textOf } from './panel/staff.ts';

let app: TestApp;
let server: MailServer;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;

beforeAll(async () => {
  server = await openMailServer();
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(() => {
  server.mails.length = 0;
});

let count = 0;
async function queued(): Promise<{ id: string; address: string }> {
  count += 1;
  const address = `buyer${count}@mail.example`;
  const values = { reset_url: 'https://shop.example/x', ip: '192.0.2.1' };
  const id = await app.ctx.tx((ctx) =>
    queueMail(
      ctx,
      { ...passwordResetMail, isSecret: false },
      { to: { address }, locale: 'en', values, dedupe: address },
    ),
  );
  return { id: id ?? '', address };
}
const send = (): Promise<void> => mailWorker(app.ctx).idle();

describe('without a mail server', () => {
  test('a test says what is missing, and the panel that emails wait', async () => {
    await queued();
    expect(await client.data('/settings/email-test', 'POST', { to: 'ann@mail.example' })).toEqual({
      sent: false,
      error: 'no mail server is set up',
      response: null,
    });
    expect(await client.refusal('/settings/email-test', 'POST', { to: 'a@b.co, c@d.co' })).toEqual([
      400,
      'VALIDATION_ERROR',
      undefined,
    ]);
    expect(textOf((await browser.open('/store/')).text)).toContain('1 email waits for a mail server');
  });
});

describe('with one', () => {
  beforeAll(async () => {
    const sent = await browser.submit('/store/settings/email', {
      smtp_host: '127.0.0.1',
      smtp_port: String(server.port),
      smtp_secure: 'none',
      email_from_address: 'shop@shop.example',
    });
    expect([sent.status, sent.headers.location]).toEqual([
      303,
      expect.stringContaining('/store/settings/email?done=saved'),
    ]);
  });

  test('what has waited goes out', async () => {
    app.clock.advance(61);
    await send();
    expect(server.mails).toHaveLength(1);
  });

  test('the button of the panel sends a test, and says what the server answered', async () => {
    const sent = await browser.submit('/store/settings/email', { test_to: 'ann@mail.example' });
    expect([sent.status, sent.headers.location]).toEqual([
      303,
      expect.stringContaining('/store/settings/email?done=tested'),
    ]);
    expect(server.to('ann@mail.example')[0]?.subject).toContain('Test email from');
    server.refuse(554);
    const refused = await browser.submit('/store/settings/email', { test_to: 'ann@mail.example' });
    expect(refused.status).toBe(400);
    expect(textOf(refused.text)).toContain('554 refused by the test');
    expect(await client.data('/settings/email-test', 'POST', { to: 'bob@mail.example' })).toMatchObject({
      sent: true,
      error: null,
    });
  });

  test('an email is listed and shown without what it says, and is sent again', async () => {
    const { id, address } = await queued();
    await send();
    const { data: list } = (await client.send(`/email-log?to=${address}&status=sent`)).body as unknown as {
      data: Record<string, unknown>[];
    };
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({
      id,
      template: 'password_reset',
      to: address,
      status: 'sent',
      attempts: 1,
    });
    expect(JSON.stringify(list)).not.toContain('shop.example/x');
    const { body: some } = await client.send(`/email-log?q=${encodeURIComponent(address.slice(0, -3))}`);
    expect((some.data as unknown as { id: string }[]).map((one) => one.id)).toEqual([id]);
    expect((await client.send('/email-log?q=nobody%40x')).body.data).toEqual([]);
    expect(await client.data(`/email-log/${id}/resend`, 'POST')).toMatchObject({
      status: 'queued',
      attempts: 0,
    });
    await send();
    expect(server.to(address)).toHaveLength(2);
    const [first, second] = server.to(address).map(({ headers }) => headers['message-id']);
    expect(first).not.toBe(second);
  });

  test('one that waits for its next attempt makes it now, or is dropped for good', async () => {
    const [again, never] = [await queued(), await queued()];
    server.refuseTo(again.address, 450);
    server.refuseTo(never.address, 450);
    await send();
    server.refuseTo(again.address, 0);
    await client.data(`/email-log/${again.id}/resend`, 'POST');
    expect(await client.data(`/email-log/${never.id}/drop`, 'POST')).toMatchObject({ status: 'suppressed' });
    await send();
    expect(await client.data(`/email-log/${again.id}`)).toMatchObject({ status: 'sent', attempts: 2 });
    server.refuseTo(never.address, 0);
    app.clock.advance(86_400);
    await send();
    expect(server.to(never.address)).toEqual([]);
    expect(await client.refusal(`/email-log/${never.id}/drop`, 'POST')).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
  });

  test('of one that opened an account nothing is left to send again', async () => {
    const values = { reset_url: 'https://shop.example/x', ip: '192.0.2.1' };
    const id = await app.ctx.tx((ctx) =>
      queueMail(ctx, passwordResetMail, {
        to: { address: 'z@mail.example' },
        locale: 'en',
        values,
        dedupe: 'z',
      }),
    );
    await send();
    expect(await client.refusal(`/email-log/${id}/resend`, 'POST')).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
  });

  test('the settings are in the JSON of the shop, the password masked', async () => {
    await settings.set(app.ctx, { key: 'smtp_password', value: 'a-word' });
    const all = await client.data('/settings?group=email');
    expect(all).toMatchObject({ smtp_host: '127.0.0.1', smtp_password: '***', smtp_secure: 'none' });
    const page = await browser.open('/store/settings/email');
    expect(page.text).not.toContain('a-word');
  });
});
