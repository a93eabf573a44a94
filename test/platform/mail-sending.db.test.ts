// Mails: written with a change, sent after it, once (storefront-domain 14; reliability M28).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defineMail, passwordResetMail, queueMail } from '#platform/mail/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { emailsOf, type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';

const hello = defineMail({ key: 'email_test', sample: {} });
const unasked = defineMail({ key: 'email_test', sample: {}, mostAnHour: 3 });

let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  server = await openMailServer();
  app = await startApp({ pins: pinsOf(server) });
});

afterAll(async () => {
  await app.close();
  await server.close();
});

beforeEach(() => {
  server.mails.length = 0;
});

const pinsOf = ({ port }: MailServer) => ({
  smtp_host: '127.0.0.1',
  smtp_port: String(port),
  smtp_secure: 'none',
  email_from_address: 'shop@shop.example',
  email_from_name: 'The Shop',
});

let count = 0;
/** An address of its own for each case. */
const newAddress = (): string => {
  count += 1;
  return `buyer${count}@mail.example`;
};

const queue = (address: string, dedupe: string, name: string | null = null) =>
  app.ctx.tx((ctx) => queueMail(ctx, hello, { to: { address, name }, locale: 'en', values: {}, dedupe }));
const send = (): Promise<void> => mailWorker(app.ctx).idle();
const rowOf = async (address: string) => (await emailsOf(app.ctx)).find((row) => row.to_address === address);

test('of what strangers can cause an address gets so many in an hour, however it is written', async () => {
  const reader = 'Unasked@Mail.Example';
  const ask = (address: string, dedupe: string, mail = unasked) =>
    app.ctx.tx((ctx) =>
      queueMail(ctx, mail, { to: { address, name: null }, locale: 'en', values: {}, dedupe }),
    );
  const written: boolean[] = [];
  for (const [n, address] of [reader, reader.toLowerCase(), reader, reader.toUpperCase(), reader].entries())
    written.push((await ask(address, `unasked ${n}`)) !== null);
  expect(written).toEqual([true, true, true, false, false]);
  // What others get, and what the reader asked for, is not held up.
  expect(await ask(newAddress(), 'unasked, another reader')).not.toBeNull();
  expect(await ask(reader, 'asked for', hello)).not.toBeNull();
  const long = new Date(Date.parse(app.ctx.now()) - 3_600_001).toISOString();
  await app.ctx.tx(({ db }) =>
    db.knex('email_log').where('dedupe_key', 'like', '%unasked%').update({ created_at: long }),
  );
  expect(await ask(reader, 'unasked, an hour later')).not.toBeNull();
});

describe('a mail', () => {
  test('is sent after the commit, to one mailbox, from the configured address, as HTML and as text', async () => {
    const address = newAddress();
    const id = await queue(address, 'one', 'Ann Buyer');
    expect(server.mails).toEqual([]);
    await send();
    const [mail, ...others] = server.to(address);
    expect(others).toEqual([]);
    expect(mail?.envelope).toEqual({ from: 'shop@shop.example', to: [address] });
    expect(mail?.headers).toMatchObject({
      from: 'The Shop <shop@shop.example>',
      to: `Ann Buyer <${address}>`,
      'message-id': `<${id?.toLowerCase()}.0@shop.example>`,
      'auto-submitted': 'auto-generated',
    });
    expect(mail?.subject).toBe('Test email from 127.0.0.1');
    expect(mail?.text).toContain('This is a test.');
    expect(mail?.html).toContain('<h1');
    expect(await rowOf(address)).toMatchObject({ id, status: 'sent', attempts: 1, error: null });
  });

  test('is not written when its change is rolled back', async () => {
    const address = newAddress();
    const work = app.ctx.tx(async (ctx) => {
      await queueMail(ctx, hello, { to: { address }, locale: 'en', values: {}, dedupe: address });
      throw new Error('rolled back');
    });
    await expect(work).rejects.toThrow('rolled back');
    await send();
    expect([server.to(address), await rowOf(address)]).toEqual([[], undefined]);
  });

  test('of one thing and step is written once, however often it is asked for', async () => {
    const address = newAddress();
    const ids = await Promise.all(Array.from({ length: 8 }, () => queue(address, 'order 7')));
    expect(ids.filter((id) => id !== null)).toHaveLength(1);
    await send();
    expect(server.to(address)).toHaveLength(1);
    expect(await queue(address, 'order 7')).toBeNull();
  });

  test('is sent once by two workers at the same time', async () => {
    const address = newAddress();
    for (let n = 0; n < 12; n += 1) await queue(address, `of many ${n}`);
    await Promise.all([send(), send()]);
    expect(server.to(address)).toHaveLength(12);
  });

  test('speaks the language of its reader, and English where it has no words in it', async () => {
    const [german, finnish] = [newAddress(), newAddress()];
    for (const [address, locale] of [
      [german, 'de-AT'],
      [finnish, 'fi'],
    ] as const)
      await app.ctx.tx((ctx) =>
        queueMail(ctx, hello, { to: { address }, locale, values: {}, dedupe: address }),
      );
    await send();
    expect(server.to(german)[0]?.subject).toBe('Test-E-Mail von 127.0.0.1');
    expect(server.to(finnish)[0]?.subject).toBe('Test email from 127.0.0.1');
  });

  test('to an address that cannot be used is noted, and the change goes on', async () => {
    for (const address of [
      'a@b.co, evil@x.co',
      'ann',
      'Ann <ann@x.co>',
      'ünï@x.co',
      'a@b.co\r\nBcc: evil@x.co',
    ])
      await queue(address, address);
    await send();
    expect(server.mails).toEqual([]);
    const rows = (await emailsOf(app.ctx)).filter(({ status }) => status === 'suppressed');
    expect(rows).toHaveLength(5);
    expect(rows[0]?.error).toBe('email cannot be sent to this address');
  });
});

describe('a server that refuses', () => {
  test('for now is asked again after 1 and 5 minutes, half an hour, 2 and 12 hours, and then no more', async () => {
    const address = newAddress();
    server.refuseTo(address, 450);
    await queue(address, 'soft');
    for (const seconds of [0, 60, 300, 1800, 7200, 43_200]) {
      app.clock.advance(seconds - 1);
      if (seconds > 0) await send();
      const before = (await rowOf(address))?.attempts;
      app.clock.advance(1);
      await send();
      expect((await rowOf(address))?.attempts).toBe(Number(before) + 1);
    }
    expect(await rowOf(address)).toMatchObject({ status: 'failed', attempts: 6, next_attempt_at: null });
    app.clock.advance(86_400);
    await send();
    expect((await rowOf(address))?.attempts).toBe(6);
  });

  test('for good is not asked again, and what it said is kept', async () => {
    const address = newAddress();
    server.refuseTo(address, 550);
    await queue(address, 'hard');
    await send();
    const row = await rowOf(address);
    expect(row).toMatchObject({ status: 'failed', attempts: 1 });
    expect(row?.error).toContain('550 refused by the test');
  });

  test('that takes it on the second attempt gets it once, with the same Message-ID', async () => {
    const address = newAddress();
    server.refuse(451);
    await queue(address, 'again');
    await send();
    expect(await rowOf(address)).toMatchObject({ status: 'queued', attempts: 1 });
    app.clock.advance(61);
    await send();
    expect(server.to(address)).toHaveLength(1);
    expect(await rowOf(address)).toMatchObject({ status: 'sent', attempts: 2, error: null });
  });

  test('and is away for a while, gets every mail once when it is back', async () => {
    const address = newAddress();
    await server.close();
    for (let n = 0; n < 5; n += 1) await queue(address, `away ${n}`);
    await send();
    const rows = (await emailsOf(app.ctx)).filter((row) => row.to_address === address);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual(rows.map(() => ['queued', 1]));
    expect(rows[0]?.error).toContain(`127.0.0.1:${server.port} could not be reached`);
    server = await openMailServer({ port: server.port });
    for (let n = 0; n < 4; n += 1) {
      app.clock.advance(60);
      await send();
    }
    expect(server.to(address)).toHaveLength(5);
  });
});

describe('what opens an account', () => {
  test('is not readable in the table, and gone once it was sent', async () => {
    const address = newAddress();
    const values = { reset_url: 'https://shop.example/admin/reset-password/the-token', ip: '192.0.2.1' };
    await app.ctx.tx((ctx) =>
      queueMail(ctx, passwordResetMail, { to: { address }, locale: 'en', values, dedupe: address }),
    );
    expect(JSON.stringify(await rowOf(address))).not.toContain('the-token');
    await send();
    expect(server.to(address)[0]?.text).toContain('the-token');
    expect(await rowOf(address)).toMatchObject({ status: 'sent', values_enc: null });
  });
});
