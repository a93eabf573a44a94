// An operator's rules in a shop. With scripts and without.
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { createOutboxWorker } from '#kernel/outbox/worker.ts';
import * as accounts from '#platform/accounts/index.ts';
import { hookHandler } from '#platform/hooks/index.ts';
import { storeHookThens } from '#storefront/tools/hooks/index.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Chromium, type Looking, openChromium } from '../support/chromium.ts';
import { hooksFolder } from '../support/hooks.ts';
import { stockShop } from './customer-walk.ts';
import {
  type Chat,
  type OperatorWalk,
  openChat,
  operatorFiles,
  operatorSteps,
  operatorWalk,
} from './operator-walk.ts';

const owner = { email: 'ann@x.test', password: 'correct horse battery' };

const looks: Record<'sqlite' | 'postgres', Required<Looking>> = {
  sqlite: { javaScript: true, width: 360, scheme: 'light' },
  postgres: { javaScript: false, width: 1280, scheme: 'dark' },
};

describe('a rule of the operator', () => {
  let chat: Chat;
  let chromium: Chromium;
  let app: TestApp;
  let walk: OperatorWalk;
  beforeAll(async () => {
    [chromium, chat] = await Promise.all([openChromium(), openChat()]);
    app = await startApp({
      clock: systemClock,
      env: { APPCTL_HOOKS_DIR: hooksFolder(operatorFiles(chat)) },
      pins: { payment_processors_enabled: '["offline"]' },
    });
    await accounts.createOwner(app.ctx, { ...owner, name: 'Ann' });
    const place = { url: app.url, owner, ask: (await storeClient(app)).data };
    const settle = () => createOutboxWorker({ ctx: app.ctx, handlers: [hookHandler(storeHookThens)] }).idle();
    await stockShop(place);
    walk = operatorWalk(chromium, { place, chat, settle }, looks[inject('databaseKind')]);
  }, 90_000);
  afterAll(async () => {
    await app?.close();
    await chromium?.close();
    chat?.close();
  });

  it.each(operatorSteps)('%s', (_name, step) => step(walk), 90_000);
});
