// Lists that grow: what a browser is told to follow, that it is what the list shows, and that it ends with the session.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tailTimes } from '#licensing/insight/events/feed.ts';
import * as accounts from '#platform/accounts/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { type EventStream, openEventStream } from '../../support/event-stream.ts';
import { LOOPBACK_PINS } from '../../support/webhooks.ts';
import { member, rowsOf, textOf } from './staff.ts';

let app: TestApp;
const opened: EventStream[] = [];
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
});
afterAll(async () => {
  for (const stream of opened) stream.close();
  await app.close();
});

const unescaped = (text = ''): string => text.replaceAll('&amp;', '&');
const streamIn = (html: string): string | null => {
  const found = /data-stream="([^"]*)"/.exec(html)?.[1];
  return found === undefined ? null : unescaped(found);
};
const followedIn = (html: string): string => unescaped(/data-follows="([^"]*)"/.exec(html)?.[1]);

/** The stream that a page names, opened as its script does. */
async function follow(browser: Browser, html: string): Promise<EventStream> {
  const headers = { Cookie: `cart_session=${browser.session()}` };
  const stream = await openEventStream(app.url + (streamIn(html) ?? ''), headers);
  opened.push(stream);
  return stream;
}

it('names the stream of what it shows, with its filters, and a link that needs no script', async () => {
  const { browser } = await member(app);
  const { text } = await browser.open('/admin/events?type=LICENSE_CREATED&columns=at,type');
  expect(streamIn(text)).toBe('/api/v1/admin/events/stream?type=LICENSE_CREATED');
  expect(followedIn(text)).toBe('/admin/events?type=LICENSE_CREATED&columns=at%2Ctype');
  expect(text).toContain('>Refresh</a>');
  const stream = await follow(browser, text);
  expect(stream.status).toBe(200);
  const { id } = await app.license();
  const told = (await stream.next())?.event;
  expect(told).toMatchObject({ type: 'LICENSE_CREATED', subject: id });
  const fragment = await browser.open(followedIn(text), { 'HX-Request': 'true', 'HX-Target': 'div#list' });
  expect(fragment.text).not.toContain('<html');
  expect(rowsOf(fragment.text)[0]?.[1]).toBe('LICENSE_CREATED');
});

it('follows no later page, no other order and nothing that was refused', async () => {
  const { browser } = await member(app);
  for (const query of ['?cursor=x', '?sort=at', '?type=nothing-like-it!&from=never']) {
    const { text } = await browser.open(`/admin/events${query}`);
    expect([query, text.includes('data-follows')]).toEqual([query, false]);
  }
  const { text } = await browser.open('/admin/licenses');
  expect(text.includes('data-live')).toBe(false);
});

it('keeps what a filter says out of the markup', async () => {
  const { browser } = await member(app);
  const { text } = await browser.open(
    `/admin/events?licenseId=${encodeURIComponent('"><script>alert(1)</script>')}`,
  );
  expect(text).not.toContain('<script>alert');
});

it('asks for the deliveries of a webhook again, which are no events', async () => {
  const { browser } = await member(app);
  const { body } = await app.admin('/webhooks', await app.adminToken('owner'), {
    method: 'POST',
    body: { url: 'https://hooks.test/live' },
  });
  const path = `/admin/deliveries?webhookId=${body.webhook?.id}`;
  const { text } = await browser.open(path);
  expect([streamIn(text), followedIn(text)]).toEqual([null, path]);
  expect(textOf(text)).toContain('Refresh');
});

it('ends within five seconds after its person signs out or loses the permission', async () => {
  const times = app.ctx.memory.of(tailTimes);
  expect([times.pollMs < 1000, times.checkMs < 5000]).toEqual([true, true]);
  Object.assign(times, { pollMs: 10, checkMs: 20 });
  const first = await member(app);
  const page = await first.browser.open('/admin/events');
  const stream = await follow(first.browser, page.text);
  expect((await first.browser.submit('/admin/logout')).status).toBe(303);
  expect(await stream.end()).toBe(true);
  const again = await first.browser.open(followedIn(page.text), { 'HX-Request': 'true' });
  expect([again.status, again.text.includes('data-follows')]).not.toEqual([200, true]);
  const second = await member(app);
  const other = await follow(second.browser, (await second.browser.open('/admin/events')).text);
  await accounts.setRoles(app.ctx, second.id, []);
  expect(await other.end()).toBe(true);
  expect((await follow(second.browser, page.text)).status).toBe(403);
});
