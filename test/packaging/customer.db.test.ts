// A customer's way through a shop that the executable runs, alone in an empty folder.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  beginWalk,
  customerSteps,
  endWalk,
  type Place,
  stockShop,
  type Walk,
} from '../browser/customer-walk.ts';
import { type Chromium, openChromium } from '../support/chromium.ts';
import { type MailServer, openMailServer } from '../support/smtp-server.ts';
import { openShopFolder, type ShopFolder } from './shop-folder.ts';

let shop: ShopFolder;
let chromium: Chromium;
let mail: MailServer;
let walk: Walk;

beforeAll(async () => {
  [chromium, mail] = await Promise.all([openChromium(), openMailServer()]);
  shop = await openShopFolder({ APPCTL_SMTP_URL: mail.url, APPCTL_MAIL_FROM: 'post@shop.test' });
  const place: Place = {
    ...shop.place,
    async mailsTo(email, count) {
      await expect.poll(() => mail.to(email).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
      return mail.to(email);
    },
  };
  await stockShop(place);
  walk = await beginWalk(chromium, place, { javaScript: true, width: 1280, scheme: 'light' });
}, 120_000);
afterAll(async () => {
  if (walk) await endWalk(walk);
  await Promise.all([chromium?.close(), mail?.close()]);
  await shop?.close();
});

it.each(customerSteps)('%s', (_name, step) => step(walk), 120_000);
