// Staff fill a shop at a browser and open it; a shopper then finds what they made: with scripts and without, in a wide
// window and a narrow one, light and dark. Both databases see a journey of each kind.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Chromium, type Looking, openChromium } from '../support/chromium.ts';
import { sourceProgram } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { type Walker, walker } from './walker.ts';

const password = 'correct horse battery';

let chromium: Chromium;
beforeAll(async () => {
  chromium = await openChromium();
}, 60_000);
afterAll(() => chromium.close());

const wide = { width: 1280 } as const;
const narrow = { width: 360 } as const;
const journeys: Record<'sqlite' | 'postgres', readonly Required<Looking>[]> = {
  sqlite: [
    { javaScript: true, ...narrow, scheme: 'light' },
    { javaScript: false, ...wide, scheme: 'dark' },
  ],
  postgres: [
    { javaScript: true, ...wide, scheme: 'dark' },
    { javaScript: false, ...narrow, scheme: 'light' },
  ],
};

describe.each(journeys[inject('databaseKind')])('scripts $javaScript, $width px, $scheme', (looking) => {
  let cwd: string;
  let database: FreshDatabase;
  let server: ServerProcess;
  let ann: Walker;
  let shopper: Walker;
  beforeAll(async () => {
    cwd = scratchFolder('appctl-shop-journey-');
    database = await migratedDatabaseUrl();
    const env = { APPCTL_DATA_DIR: join(cwd, 'data'), APPCTL_DATABASE_URL: database.url };
    // The process that renders pictures is begun from the sources, or from the executable.
    server = await startServer([], { cwd, env, command: [process.execPath, sourceProgram] });
    ann = await walker(chromium, server.url, looking);
    shopper = await walker(chromium, server.url, looking);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await database?.drop();
    rmSync(cwd, { recursive: true, force: true });
  });

  /** The address of the page, without what its form said and its tab. */
  const here = ({ page }: Walker): string => new URL(page.url()).pathname;
  const cards = (): Promise<string[]> => shopper.page.locator('.card .title').allInnerTexts();
  let product: string;

  it('staff see what a shop needs before it opens', async () => {
    const { setupUrl } = JSON.parse(server.stdout().split('\n', 1)[0] ?? '') as { setupUrl: string };
    await ann.open(setupUrl);
    await ann.fill({ name: 'Ann Vendor', email: 'ann@x.test', password, passwordAgain: password });
    await ann.press('Create the owner');
    await ann.open('/store/');
    await ann.stands(/./);
    await ann.sees('0 of 10 done');
  });
  it('the shop has a name', async () => {
    await ann.press('Name the shop');
    await ann.fill({ store_name: 'Harbour Goods' });
    await ann.press('Save');
    await ann.open('/store/');
    await ann.stands('Harbour Goods');
  });
  it('a product gets two options, and a variant for each of their six combinations', async () => {
    await ann.open('/store/products/new');
    await ann.stands('New product');
    await ann.fill({ title: 'Linen Shirt', brand: 'Harbour', tags: 'summer' });
    await ann.press('Create a product');
    await ann.stands('Linen Shirt');
    product = here(ann);
    await ann.open(`${product}?tab=options`);
    await addOption('Size', 'S, M, L');
    await addOption('Color', 'Red, Blue');
    await ann.stands('Linen Shirt');
    await ann.press('Edit all variants');
    await ann.sees('6 combinations have no variant');
    await ann.fill({ new_price: '49.90' });
    await ann.press('Create 6 variants');
    await ann.stands('Variants of Linen Shirt');
    const prices = ann.page.locator('main table [name=price]');
    await prices.nth(5).fill('54.90');
    await ann.press('Save all');
    expect([
      await prices.count(),
      await prices.nth(0).inputValue(),
      await prices.nth(5).inputValue(),
    ]).toEqual([6, '49.90', '54.90']);
  });
  it('a picture is uploaded and described', async () => {
    const picture = join(cwd, 'shirt.jpg');
    const create = { width: 900, height: 900, channels: 3, background: '#8fb3a9' } as const;
    writeFileSync(picture, await sharp({ create }).jpeg().toBuffer());
    await ann.open(`${product}?tab=pictures`);
    await ann.page.setInputFiles('main [name=pictures]', picture);
    await ann.press('Upload');
    await ann.stands('Linen Shirt');
    await ann.fill({ alt: 'The shirt from the front' });
    await ann.press('Save');
    await ann.stands('Linen Shirt');
  });
  it('one variant is in stock, and of another one there is none', async () => {
    await count('LINEN-SHIRT-S-RED', '12');
    await ann.sees('In stock');
    await ann.stands('LINEN-SHIRT-S-RED');
    await count('LINEN-SHIRT-L-BLUE', '0');
    await ann.sees('Out of stock');
    await ann.stands('LINEN-SHIRT-L-BLUE');
  });
  it('the product is published and stands in a category, and in a collection by a rule', async () => {
    await ann.open(product);
    await ann.press('Publish');
    await ann.press('Publish');
    await ann.stands('Linen Shirt');
    await ann.open('/store/categories/new');
    await ann.fill({ name: 'Clothes' });
    await ann.press('Create a category');
    await ann.stands('Clothes');
    await ann.fill({ products: 'linen-shirt' });
    await ann.press('Save');
    await ann.stands('Clothes');
    await ann.open('/store/collections/new');
    await ann.fill({ title: 'Summer picks', kind: 'rule' });
    await ann.press('Create a collection');
    await ann.stands('Summer picks');
    const rule = (name: string) => ann.page.locator(`main [name=${name}]`).first();
    await rule('field').selectOption('Tag');
    await rule('op').selectOption('is');
    await rule('value').fill('summer');
    await ann.press('Show what matches');
    await ann.sees('1 product matches these rules');
    await ann.stands(/Summer picks/);
    await ann.press('Save');
    await ann.sees('1 product matches');
    await ann.stands('Summer picks');
  });
  it('the shop is opened', async () => {
    await ann.open('/store/');
    await ann.sees('4 of 10 done');
    await ann.stands('Harbour Goods');
    await ann.press('Open the shop');
    await ann.sees('No way to pay is set up');
    await ann.stands('Harbour Goods');
    await ann.press('Open anyway');
    await ann.sees('The shop is open');
    await ann.stands('Harbour Goods');
  });

  it('a shopper finds the product by a search with a typing error', async () => {
    await shopper.open('/');
    await shopper.stands('Harbour Goods');
    const { page } = shopper;
    const isFound = page.waitForURL('**/shop/search?q=linnen+shirt');
    await page.locator('#find').fill('linnen shirt');
    await page.locator('#find').press('Enter');
    await isFound;
    await shopper.stands(/linnen shirt/);
    expect(await cards()).toEqual(['Linen Shirt']);
  });
  it('and by a filter', async () => {
    const { page } = shopper;
    await shopper.open('/shop/products');
    await shopper.stands('All products');
    const blue = page.getByRole('checkbox', { name: /^Blue/ });
    if (!(await blue.isVisible())) await shopper.push('Filter');
    await blue.check();
    if (!shopper.hasScripts) await shopper.press('Apply');
    await page.waitForURL(/option\.Color=Blue/);
    await page.getByRole('link', { name: 'Remove filter: Blue' }).waitFor();
    await shopper.stands('All products');
    expect(await cards()).toEqual(['Linen Shirt']);
  }, 60_000);
  it('and in its collection and its category', async () => {
    await shopper.open('/shop/collections');
    await shopper.press('Summer picks');
    await shopper.stands('Summer picks');
    expect(await cards()).toEqual(['Linen Shirt']);
    await shopper.open('/shop/');
    await shopper.page
      .getByRole('navigation', { name: 'Shop' })
      .getByRole('link', { name: 'Clothes' })
      .click();
    await shopper.page.waitForURL('**/shop/categories/clothes');
    await shopper.stands('Clothes');
    expect(await cards()).toEqual(['Linen Shirt']);
  }, 60_000);
  it('its picture has been given its sizes meanwhile', async () => {
    await expect.poll(rendered, { timeout: 50_000, interval: 1000 }).toBe(true);
  }, 60_000);
  it('sees its picture, and price and stock of the variant that they choose', async () => {
    const { page } = shopper;
    await Promise.all([
      page.waitForURL('**/shop/products/linen-shirt'),
      page.locator('.card a').first().click(),
    ]);
    await shopper.stands('Linen Shirt');
    const picture = page.getByRole('img', { name: 'The shirt from the front' });
    expect(
      await picture.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(300);
    expect(await offer()).toEqual(['$49.90', 'In stock']);
    await choose('L');
    await choose('Blue');
    expect(await offer()).toEqual(['$54.90', 'Sold out']);
    await shopper.stands('Linen Shirt');
  }, 60_000);

  async function addOption(name: string, values: string): Promise<void> {
    await ann.page.locator('#field-name').fill(name);
    await ann.page.locator('#field-values').fill(values);
    await ann.press('Add option');
  }

  /** Enters what was counted of a variant, which is tracked from then on. */
  async function count(sku: string, units: string): Promise<void> {
    await ann.open('/store/inventory');
    await ann.press(sku);
    await ann.fill({ how: 'set_to', units });
    const { page } = ann;
    // A tab has the same name.
    const button = page.locator('main').getByRole('button', { name: 'Adjust stock' });
    await Promise.all([page.waitForEvent('load'), button.click()]);
  }

  /** Whether the sizes of the picture are there, which a job makes. */
  async function rendered(): Promise<boolean> {
    await ann.open(`${product}?tab=pictures`);
    return ann.page.locator('main .pictures img').isVisible();
  }

  const offer = (): Promise<string[]> =>
    Promise.all([shopper.text('#offer .price b'), shopper.text('#offer .stock')]);

  /** Chooses a value of an option, which without scripts takes a press of its button. */
  async function choose(value: string): Promise<void> {
    const { page } = shopper;
    await page.getByRole('radio', { name: new RegExp(`^${value}`) }).check();
    if (!shopper.hasScripts) await shopper.press('Show this option');
    await page.waitForURL(new RegExp(`=${value}(&|$)`));
  }
});
