// Commands about emails at both desks (cli.md section 3.9).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { passwordResetMail, queueMail } from '#platform/mail/index.ts';
import * as settings from '#platform/settings/index.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { type MailServer, openMailServer } from '../support/smtp-server.ts';

let desks: BothDesks;
let server: MailServer;
beforeAll(async () => {
  desks = await openBothDesks();
  server = await openMailServer();
});
afterAll(async () => {
  await desks.close();
  await server.close();
});

const values = { reset_url: 'https://shop.example/x', ip: '192.0.2.1' };

test('what waits is listed, tried again and dropped', () =>
  desks.same(async (desk) => {
    const { ctx } = desks.app;
    const queued = (dedupe: string) =>
      ctx.tx((ctx) => {
        const to = { address: `${dedupe}@mail.example` };
        return queueMail(ctx, passwordResetMail, { to, locale: 'en', values, dedupe });
      });
    const [one, other] = [await queued(`one-${desk.tag}`), await queued(`other-${desk.tag}`)];
    await desk.run(`email queue list --to ${desk.tag}@`);
    expect(await desk.answer(`email queue list --to one-${desk.tag}@`)).toMatchObject({
      items: [{ id: one, status: 'queued' }],
    });
    expect(await desk.answer(`email queue list --status sent --to ${desk.tag}@`)).toMatchObject({
      items: [],
    });
    expect(await desk.answer(['email', 'queue', 'retry', String(one)])).toMatchObject({ id: one });
    await desk.run(['email', 'queue', 'drop', String(one), '--dry-run']);
    expect(await desk.answer(['email', 'queue', 'drop', String(one), '--yes'])).toMatchObject({
      status: 'suppressed',
    });
    expect(await desk.failure(['email', 'queue', 'drop', String(one), '--yes'])).toMatchObject({ exit: 5 });
    const both = await desk.run(['email', 'queue', 'drop', String(one), String(other), '--yes']);
    expect(both.code).toBe(7);
    expect(await desk.failure('email queue retry eml_nope')).toMatchObject({ exit: 3 });
  }));

test('a test says what is missing, and what the server answered', async () => {
  await desks.same(async (desk) => {
    expect((await desk.run('email test --to ann@mail.example')).code).toBe(9);
    expect(await desk.failure('email test --to nobody')).toMatchObject({ exit: 2 });
  });
  await settings.setSeveral(desks.app.ctx, 'email', {
    smtp_host: '127.0.0.1',
    smtp_port: server.port,
    smtp_secure: 'none',
    email_from_address: 'shop@shop.example',
  });
  await desks.same(async (desk) => {
    expect(await desk.answer('email test --to ann@mail.example')).toMatchObject({ sent: true, error: null });
  });
  expect(server.mails.length).toBeGreaterThanOrEqual(2);
});

test('a preview shows an email in a language, as text, as HTML or both', () =>
  desks.same(async (desk) => {
    const shown = await desk.run('email preview order_confirmation');
    expect(shown.stdout).toMatch(/1001[\s\S]*Stoneware mug/);
    expect(shown.stdout).not.toContain('<p>');
    const html = await desk.run('email preview order_confirmation --html --locale de');
    expect(html.stdout).toMatch(/^<!doctype html>[\s\S]*Bestellung/i);
    const text = await desk.run('email preview order_confirmation --text');
    expect(shown.stdout.endsWith(text.stdout)).toBe(true);
    expect(await desk.answer('email preview shipment_delivered --locale ja')).toMatchObject({
      subject: 'ご注文 1001 をお届けしました',
      unknown_placeholders: [],
    });
    expect(await desk.failure('email preview no_such_email')).toMatchObject({
      exit: 3,
      hint: expect.stringContaining('order_confirmation'),
    });
    expect(await desk.failure('email preview order_confirmation --locale xx')).toMatchObject({ exit: 2 });
    expect(await desk.failure('email preview order_confirmation --html --text')).toMatchObject({ exit: 2 });
  }));
