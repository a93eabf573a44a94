// An operator's hooks in a shop that the executable runs, alone in an empty folder: it loads TypeScript, and stops however
// much the files leave running.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stockShop } from '../browser/customer-walk.ts';
import {
  type Chat,
  type OperatorWalk,
  openChat,
  operatorFiles,
  operatorSteps,
  operatorWalk,
} from '../browser/operator-walk.ts';
import { type Chromium, openChromium } from '../support/chromium.ts';
import { leakyFile } from '../support/hooks.ts';
import { openShopFolder, type ShopFolder } from './shop-folder.ts';

let shop: ShopFolder;
let chromium: Chromium;
let chat: Chat;
let walk: OperatorWalk;

beforeAll(async () => {
  [chromium, chat] = await Promise.all([openChromium(), openChat()]);
  shop = await openShopFolder({}, { ...operatorFiles(chat), '90-leaky.js': leakyFile });
  await stockShop(shop.place);
  const { place } = shop;
  const settle = async () => undefined;
  walk = operatorWalk(chromium, { place, chat, settle }, { javaScript: true, width: 1280, scheme: 'light' });
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  chat?.close();
  await shop?.close();
});

it.each(operatorSteps)('%s', (_name, step) => step(walk), 120_000);

it('stops at once, whatever the hooks have left running', async () => {
  const started = performance.now();
  expect(await shop.stop()).toBe(0);
  expect(performance.now() - started).toBeLessThan(20_000);
});
