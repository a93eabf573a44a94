// A customer from the first visit to the last, with scripts and without, on a phone and on a wide screen.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import { systemClock } from '#kernel/clock.ts';
import * as accounts from '#platform/accounts/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Chromium, type Looking, openChromium } from '../support/chromium.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';
import { beginWalk, customerSteps, endWalk, type Place, stockShop, type Walk } from './customer-walk.ts';

const owner = { email: 'ann@x.test', password: 'correct horse battery' };

let chromium: Chromium;
let mail: MailServer;
let app: TestApp;
let place: Place;

beforeAll(async () => {
  [chromium, mail] = await Promise.all([openChromium(), openMailServer()]);
  app = await startApp({
    clock: systemClock,
    env: { APPCTL_SMTP_URL: mail.url, APPCTL_MAIL_FROM: 'post@shop.test' },
    pins: { payment_processors_enabled: '["offline"]', store_name: 'Harbor Goods' },
  });
  await accounts.createOwner(app.ctx, { ...owner, name: 'Ann' });
  place = {
    url: app.url,
    owner,
    ask: (await storeClient(app)).data,
    async mailsTo(email) {
      await mailWorker(app.ctx).idle();
      return mail.to(email);
    },
  };
  await stockShop(place);
}, 90_000);
afterAll(async () => {
  await app?.close();
  await Promise.all([chromium?.close(), mail?.close()]);
});

/** Each database sees half of them: with scripts and without, on a phone and on a wide screen. */
const looks: Record<'sqlite' | 'postgres', readonly Required<Looking>[]> = {
  sqlite: [
    { javaScript: true, width: 1280, scheme: 'dark' },
    { javaScript: false, width: 360, scheme: 'light' },
  ],
  postgres: [
    { javaScript: true, width: 360, scheme: 'light' },
    { javaScript: false, width: 1280, scheme: 'dark' },
  ],
};

describe.each(looks[inject('databaseKind')])('scripts $javaScript, $width px', (looking) => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await beginWalk(chromium, place, looking);
  }, 60_000);
  afterAll(() => walk && endWalk(walk));

  it.each(customerSteps)('%s', (_name, step) => step(walk), 120_000);
});

it.each(['store.money', 'store.stock', 'store.holds'])('%s: the books are right afterwards', async (id) => {
  const scope = { opened: { ctx: app.ctx, current: true } } as unknown as CheckScope;
  expect(await checks.find((one) => one.id === id)?.run(scope)).toMatchObject({ status: 'ok' });
});
