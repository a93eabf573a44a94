// What staff sees of sent webhooks and of tasks: attempts with answers, the exact request, reports and errors as tables.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runTask, startTask } from '#kernel/jobs/task.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';

import { startApp, type TestApp } from '../../support/app.ts';
import { tokenIn } from '../../support/browser.ts';
import {
  deliveriesOf,
  insertWebhook,
  LOOPBACK_PINS,
  openReceiver,
  type Receiver,
  webhookRow,
  webhookWorker,
} from '../../support/webhooks.ts';
import { member, rowsOf, textOf } from './staff.ts';

let app: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});

it('a delivery shows each attempt with its answer and when the next is due, escaped', async () => {
  const hostile = '<script>alert(1)</script>';
  receiver.answers = [(res) => res.writeHead(500, { 'X-Why': 'broken' }).end(hostile)];
  const id = await insertWebhook(app.ctx, { url: receiver.url, secret: 'whs_told-to-nobody' });
  await app.license();
  await webhookWorker(app.ctx).idle();
  const [delivery] = await deliveriesOf(app.ctx, id);
  const { browser } = await member(app);
  const path = `/admin/deliveries/${delivery?.id}`;
  const { status, text } = await browser.open(path);
  expect([status, text.includes(hostile)]).toEqual([200, false]);
  const shown = textOf(text);
  expect(shown).toContain('Attempt 1 Sent');
  expect(shown).toMatch(/Answer 500 after [\d,]+ ms/);
  expect(shown).toContain(hostile);
  expect(shown).toMatch(/The next attempt is due at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\./);

  const request = await browser.open(`${path}?tab=request`);
  const { body } = receiver.received[0] as (typeof receiver.received)[0];
  expect(textOf(request.text)).toContain(textOf(body));
  expect(request.text).toContain('X-Webhook-Event: LICENSE_CREATED');
  expect(request.text).not.toContain(createHmac('sha256', 'whs_told-to-nobody').update(body).digest('hex'));
  expect(textOf(request.text)).toContain("createHmac('sha256', secret).update(rawBody)");
});

it('a webhook chooses its events as boxes of the catalog', async () => {
  const { browser } = await member(app);
  const { text } = await browser.open('/admin/webhooks/new');
  expect(text).toContain('<input type="checkbox" name="events" value="LICENSE_CREATED"');
  const id = await insertWebhook(app.ctx, { url: 'https://hooks.test/boxes' });
  const edit = await browser.open(`/admin/webhooks/${id}/edit`);
  expect(edit.text).toMatch(/name="events" value="\*" checked/);
  const sent = new URLSearchParams({ _csrf: tokenIn(edit.text), 'was.events': '*' });
  for (const one of ['LICENSE_CREATED', 'LICENSE_REVOKED']) sent.append('events', one);
  const at = /name="_at" value="([^"]*)"/.exec(edit.text)?.[1] ?? '';
  sent.set('_at', at);
  const saved = await browser.post(`/admin/webhooks/${id}/edit`, sent as unknown as Record<string, string>);
  expect(saved.status).toBe(303);
  expect(JSON.stringify((await webhookRow(app.ctx, id)).events)).toContain('LICENSE_REVOKED');
});

it('a task shows its report as lines and tables, and follows itself while it runs', async () => {
  const { browser } = await member(app);
  const errors = [{ row: 2, message: '<script>bad</script>' }];
  const report = { rows: 2, created: 1, errors };
  await runTask(app.ctx, { kind: 'import licenses', params: {} }, async () => report);
  const list = await browser.open('/admin/tasks');
  const href = /href="(\/admin\/tasks\/[^"?]+)"/.exec(list.text)?.[1] ?? '';
  const ended = await browser.open(href);
  expect(textOf(ended.text)).toContain('The task is done.');
  expect(textOf(ended.text)).toContain('Created 1');
  expect(rowsOf(ended.text.replaceAll('class="rows words"', 'class="rows"'))).toEqual([
    ['2', '<script>bad</script>'],
  ]);
  expect(ended.text).not.toContain('<script>bad');
  expect(ended.text).not.toContain('every 2s');

  let finish = (): void => undefined;
  const wait = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const task = await startTask(app.ctx, { kind: 'slow', params: {} }, async () => {
    await wait;
    return {};
  });
  const path = `/admin/tasks/${task.id}`;
  const running = await browser.open(path);
  expect(running.text).toContain('hx-trigger="every 2s"');
  expect(running.text).toContain(`<a href="${path}?tab=report">Refresh</a>`);
  finish();
});

it('all deliveries stand in one list, those of a license on its page, and many are sent again', async () => {
  await app.ctx.tx(async ({ db }) => db.knex('webhooks').delete());
  receiver.answers = [500, 404];
  const first = await insertWebhook(app.ctx, { url: receiver.url, events: ['LICENSE_REVOKED'] });
  const second = await insertWebhook(app.ctx, { url: receiver.url, events: ['LICENSE_REVOKED'] });
  const [one, other] = [await app.license(), await app.license()];
  await licenses.revoke(app.ctx, { licenseId: one.id }, null);
  await licenses.revoke(app.ctx, { licenseId: other.id }, null);
  await webhookWorker(app.ctx).idle();
  const { browser } = await member(app);
  const ids = async (query: string): Promise<string[]> => {
    const { status, text } = await browser.open(`/admin/deliveries?event=LICENSE_REVOKED&${query}`);
    expect(status).toBe(200);
    return [...text.matchAll(/name="ids" value="(dlv_\w+)"/g)].map(([, id]) => id as string);
  };
  const all = await Promise.all([first, second].map((id) => deliveriesOf(app.ctx, id)));
  const told = (rows: readonly Record<string, unknown>[]) => rows.map(({ id }) => id).sort();
  expect((await ids('')).sort()).toEqual(told(all.flat()));
  expect((await ids(`webhookId=${first}`)).sort()).toEqual(told(all[0] ?? []));
  expect(await ids('http=5xx')).toHaveLength(1);
  const [refused] = await ids('http=4xx');
  expect(await ids('http=4xx,5xx')).toHaveLength(2);
  expect(await ids('http=none')).toEqual([]);

  const { text } = await browser.open(`/admin/licenses/${one.id}?tab=deliveries`);
  expect(rowsOf(text).map(([, event]) => event)).toContain('LICENSE_REVOKED');
  expect((await ids(`subject=${one.id}`)).sort()).toEqual(
    told(all.flat().filter(({ subject }) => subject === one.id)),
  );

  const asked = await browser.post('/admin/deliveries/bulk', {
    _csrf: tokenIn(text),
    action: 'redeliver',
    all: 'true',
    filter: 'event=LICENSE_REVOKED&state=FAILED',
  });
  expect(textOf(asked.text)).toContain('1 delivery');
  await browser.post('/admin/deliveries/bulk', {
    _csrf: tokenIn(asked.text),
    action: 'redeliver',
    all: 'true',
    filter: 'event=LICENSE_REVOKED&state=FAILED',
    sure: 'true',
  });
  const again = await browser.open(`/admin/deliveries/${refused}`);
  expect(textOf(again.text)).toContain('State PENDING');
});

it('somebody of another tenant sees none of them, and nobody without the permission', async () => {
  const other = await app.otherTenant();
  const { browser: stranger } = await member(app, undefined, other.tenantId);
  const list = await stranger.open('/admin/deliveries');
  expect([list.status, list.text.includes('name="ids"')]).toEqual([200, false]);
  expect(textOf(list.text)).toContain('Nothing has been sent yet.');
  const { browser: nobody } = await member(app, ['audit:read']);
  expect((await nobody.open('/admin/deliveries')).status).toBe(403);
});
