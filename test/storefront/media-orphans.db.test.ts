// The picture storage also has files that are sold, photos of customers, and labels: none of them is superfluous.
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckScope, NamedFiles } from '#kernel/check.ts';
import { partLocationOf } from '#kernel/storage/location.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import { storePhoto } from '#storefront/people/photos/index.ts';
import { rowFiles } from '../../src/app/backup/queries.ts';
import { checks } from '../../src/app/capabilities.ts';
import { customerClient } from './customer-client.ts';
import { type DownloadShop, openDownloadShop } from './download-shop.ts';
import { returnTools } from './return-shop.ts';

let shop: DownloadShop;
beforeAll(async () => {
  shop = await openDownloadShop();
});
afterAll(() => shop.app.close());

const orphans = checks.find(({ id }) => id === 'media.orphans');
const scope = (namedFiles: NamedFiles = rowFiles) =>
  ({ opened: { ...shop.app.instance, current: true }, namedFiles }) as Partial<CheckScope> as CheckScope;
const stored = async () => {
  const found: string[] = [];
  for await (const location of shop.app.ctx.media.all()) found.push(location);
  return found.sort();
};
const keep = async (text: string) => {
  const staged = await shop.app.ctx.media.stage(Readable.from([Buffer.from(text)]), 1000);
  return (await staged.keep(partLocationOf(staged.sha256, 'medium'))).location;
};

it('only what no row names is removed', async () => {
  const { ctx, clock } = shop.app;
  const tools = returnTools(shop);
  const { order, item } = await tools.delivered(1);
  const { id } = await tools.asked(order.id, item, 1);
  const labelKey = await returns.storeLabel(ctx, Readable.from([Buffer.from('%PDF-1.7 label')]));
  await returns.approve(ctx, id, { labelKey });
  const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  const customer = await customerClient(shop.app);
  await storePhoto(ctx, {
    customerId: customer.id,
    source: Readable.from([photo]),
    purpose: () => 'return',
  });
  await shop.album('the songs');
  const wanted = await stored();
  expect(wanted.map((location) => location.replace(/[0-9a-f]{64}/, '*')).sort()).toEqual([
    '*/label',
    '*/large',
    '*/thumbnail',
    expect.stringMatching(/^[0-9a-f]{2}\/\*$/),
  ]);
  const gone = await keep('of nothing');
  const sentAgain = await keep('sent again meanwhile');
  const fresh = await keep('sent again, without a row yet');
  // Files are stamped by the clock of the machine.
  clock.advance(Math.ceil((Date.now() - clock.epochMs()) / 1000) + 2 * 86_400);
  expect(await orphans?.run(scope())).toMatchObject({ message: expect.stringContaining('3 files ') });
  // A row that came after the list was read.
  const late: NamedFiles = {
    all: rowFiles.all,
    async has(db, file) {
      const path = join(shop.app.instance.config.storage.mediaDir, file.location);
      if (file.location === fresh) utimesSync(path, clock.epochMs() / 1000, clock.epochMs() / 1000);
      return file.location === sentAgain || rowFiles.has(db, file);
    },
  };
  await orphans?.fix?.(scope(late));
  expect(await stored()).toEqual([...wanted, sentAgain, fresh].sort());
  expect(wanted).not.toContain(gone);
  for (const location of wanted) expect(await rowFiles.has(ctx, { storage: 'media', location })).toBe(true);
  expect(await rowFiles.has(ctx, { storage: 'media', location: gone })).toBe(false);
});
