// Reports by email: when they are sent, about which days, to whom, and never twice.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { sendDue } from '#storefront/tools/reports/schedules/schedules.ts';
import { daysBefore, nextDue } from '../../src/storefront/tools/reports/schedules/due.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { runJob } from '../support/jobs.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

const ZONE = 'Europe/Berlin';

it.each([
  // The clocks go forward on 29 March 2026 and back on 25 October.
  ['day', 7, '2026-03-28T06:00:00.000Z', '2026-03-29T05:00:00.000Z', '2026-03-28', '2026-03-28'],
  ['day', 7, '2026-03-29T04:59:59.999Z', '2026-03-29T05:00:00.000Z', '2026-03-28', '2026-03-28'],
  ['day', 2, '2026-03-28T12:00:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-28', '2026-03-28'],
  ['day', 0, '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', '2026-10-25', '2026-10-25'],
  ['week', 7, '2026-10-19T06:00:00.000Z', '2026-10-26T06:00:00.000Z', '2026-10-19', '2026-10-25'],
  ['month', 23, '2026-02-01T22:00:00.000Z', '2026-03-01T22:00:00.000Z', '2026-02-01', '2026-02-28'],
  ['month', 7, '2027-12-15T00:00:00.000Z', '2028-01-01T06:00:00.000Z', '2027-12-01', '2027-12-31'],
] as const)('each %s at %i o’clock, after %s, is sent at %s', (every, hour, after, at, from, to) => {
  expect(nextDue(every, hour, ZONE, after)).toBe(at);
  expect(daysBefore(every, at, ZONE)).toEqual({ from, to });
});

describe('a schedule', () => {
  let server: MailServer;
  let shop: OrderShop;
  let ann: Awaited<ReturnType<typeof member>>;
  let ben: Awaited<ReturnType<typeof member>>;
  beforeAll(async () => {
    server = await openMailServer();
    shop = await openOrderShop({
      pins: {
        smtp_host: '127.0.0.1',
        smtp_port: String(server.port),
        smtp_secure: 'none',
        email_from_address: 'shop@shop.example',
        timezone: ZONE,
      },
    });
    ann = await member(shop.app);
    ben = await member(shop.app, ['reports:read']);
  }, 240_000);
  afterAll(async () => {
    await shop.app.close();
    await server.close();
  });
  beforeEach(() => {
    server.mails.length = 0;
  });

  const made = (more: object = {}) =>
    shop.staff.data('/report-schedules', 'POST', {
      report: 'sales',
      every: 'day',
      recipients: [ann.email, ben.email.toUpperCase()],
      ...more,
    });
  const mails = async () => {
    await mailWorker(shop.app.ctx).idle();
    return server.mails.filter(({ subject }) => /^Sales|^Customers|^Inventory/.test(subject));
  };
  /** Until the next time of a schedule, and a moment more. */
  const until = (at: unknown) =>
    shop.app.clock.advance((Date.parse(String(at)) - Date.parse(shop.app.ctx.now())) / 1000 + 1);
  const send = () => runJob(shop.app.ctx, 'send-reports');
  const shown = (id: string) => shop.staff.data(`/report-schedules/${id}`);

  it('is sent to each of its readers, with what the days come to, what was before, and a way to all of it', async () => {
    const { id, next_at: next, recipients } = await made({ compare: 'previous' });
    expect(recipients).toEqual([ann.email, ben.email]);
    await shop.placed(await shop.stocked(3), 2);
    await send();
    expect(await mails()).toEqual([]);
    until(next);
    await send();
    await send();
    const sent = await mails();
    expect(sent.map(({ envelope }) => envelope.to[0]).toSorted()).toEqual([ann.email, ben.email].toSorted());
    const [mail] = sent;
    const day = daysBefore('day', String(next), ZONE).from;
    expect(mail?.subject).toBe(`Sales, ${day}`);
    expect(mail?.text).toMatch(/Orders: 1 \(none before\)[\s\S]*Net: \$43\.00 \(none before\)/);
    expect(mail?.text).toContain(`/store/reports/sales?from=${day}&to=${day}&compare=previous`);
    expect(mail?.text).toContain(`/api/store/reports/sales/export.csv?from=${day}&to=${day}`);
    const after = await shown(id);
    expect(Date.parse(String(after.next_at)) - Date.parse(String(next))).toBeGreaterThan(22 * 3_600_000);
    expect(after.sent_at).toBe(shop.app.ctx.now());
    await shop.staff.send(`/report-schedules/${id}`, 'DELETE');
  });

  it('is sent once by several processes, and once for all times that were missed', async () => {
    const { id, next_at: next } = await made({ recipients: [ann.email] });
    until(next);
    shop.app.clock.advance(5 * 86_400);
    await Promise.all([sendDue(shop.app.ctx), sendDue(shop.app.ctx), sendDue(shop.app.ctx)]);
    expect(await mails()).toHaveLength(1);
    expect(String((await shown(id)).next_at) > shop.app.ctx.now()).toBe(true);
    await shop.staff.send(`/report-schedules/${id}`, 'DELETE');
  });

  it('rests while it is stopped, and can be sent at once all the same', async () => {
    const { id } = await made({ report: 'inventory', recipients: [ben.email], is_on: false });
    expect((await shown(id)).next_at).toBeNull();
    shop.app.clock.advance(2 * 86_400);
    await send();
    expect(await mails()).toEqual([]);
    await shop.staff.data(`/report-schedules/${id}/send`, 'POST');
    expect((await mails()).map(({ envelope, subject }) => [envelope.to[0], subject.split(',')[0]])).toEqual([
      [ben.email, 'Inventory value'],
    ]);
    expect((await shown(id)).next_at).toBeNull();
    const changed = await shop.staff.data(`/report-schedules/${id}`, 'PATCH', { is_on: true, hour: 9 });
    expect([changed.hour, changed.next_at === null]).toEqual([9, false]);
    await shop.staff.send(`/report-schedules/${id}`, 'DELETE');
  });

  it('reaches nobody who may not see reports, now or any more', async () => {
    const outsider = await member(shop.app, ['orders:read']);
    const refused = await shop.staff.send('/report-schedules', 'POST', {
      ...{ report: 'sales', every: 'day', recipients: [outsider.email] },
    });
    expect([refused.status, refused.body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
    const { id, next_at: next } = await made({ recipients: [ann.email, ben.email] });
    await accounts.disable(shop.app.ctx, ben.id);
    expect((await shown(id)).recipients).toEqual([ann.email]);
    until(next);
    await send();
    expect((await mails()).map(({ envelope }) => envelope.to[0])).toEqual([ann.email]);
    await shop.staff.data(`/report-schedules/${id}`, 'PATCH', { recipients: [ann.email] });
    await accounts.disable(shop.app.ctx, ann.id);
    expect(await shop.staff.refusal(`/report-schedules/${id}/send`, 'POST')).toEqual([
      400,
      'VALIDATION_ERROR',
      'INVALID_TRANSITION',
    ]);
    const later = String((await shown(id)).next_at);
    until(later);
    await send();
    expect(await mails()).toHaveLength(1);
    // It does not stay due for ever.
    expect(String((await shown(id)).next_at) > later).toBe(true);
  });

  it('is added, changed, sent and removed in the panel', async () => {
    const { browser, email } = await member(shop.app);
    const page = await browser.submit('/store/report-schedules/new', {
      ...{ report: 'products', every: 'month', hour: '6', recipients: email, compare: 'year' },
    });
    expect([page.status, page.text.slice(0, 300)]).toEqual([303, '']);
    const list = await browser.open('/store/report-schedules');
    expect(textOf(list.text)).toContain('on the first of the month at 06:00');
    const [, path = ''] = /href="(\/store\/report-schedules\/rps_[^"/]+)"/.exec(list.text) ?? [];
    expect((await browser.open(path)).status).toBe(200);
    expect((await browser.submit(`${path}/edit`, { hour: '8' })).status).toBe(303);
    expect((await browser.submit(`${path}/send`)).status).toBe(303);
    await mailWorker(shop.app.ctx).idle();
    expect(server.to(email)[0]?.subject).toMatch(/^Products, .* to /);
    expect((await browser.submit(`${path}/remove`)).status).toBe(303);
    expect((await browser.open(path)).status).toBe(404);
  });
});
