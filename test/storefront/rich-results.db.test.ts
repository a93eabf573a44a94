// What Google asks of structured data before it shows more of a page than its title: the required fields of merchant
// listings, breadcrumbs, lists and organizations, as its documentation names them, on every kind of page of a filled shop.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';
import { type FilledShop, fillShop } from './filled-shop.ts';

type Thing = Record<string, unknown> & { '@type': string };

let app: TestApp;
let shop: FilledShop;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  shop = await fillShop(app);
  await settings.setTexts(app.ctx, { store_open: 'true', store_name: 'Harbour Goods' });
}, 60_000);
afterAll(() => app.close());

async function thingsOn(path: string): Promise<Thing[]> {
  const { text } = (await app.send(path)) as unknown as { text: string };
  const found = [...text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  return found.map(([, json = '']) => JSON.parse(json) as Thing);
}

const isAddress = (value: unknown): boolean => typeof value === 'string' && /^https?:\/\//.test(value);
const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const many = (value: unknown): Thing[] => (Array.isArray(value) ? value : [value]) as Thing[];

/** What is missing of an offer, by its fields. */
const offerFaults = ({ price, priceCurrency, availability, url }: Thing): string[] => [
  ...(Number(price) > 0 && /^\d+(\.\d+)?$/.test(String(price)) ? [] : [`price ${price}`]),
  ...(/^[A-Z]{3}$/.test(String(priceCurrency)) ? [] : [`priceCurrency ${priceCurrency}`]),
  ...(/^https:\/\/schema\.org\/(InStock|OutOfStock|BackOrder|PreOrder|LimitedAvailability)$/.test(
    String(availability),
  )
    ? []
    : [`availability ${availability}`]),
  ...(isAddress(url) ? [] : [`url ${url}`]),
];

const positionFaults = (items: readonly Thing[]): string[] =>
  items.flatMap(({ position }, at) => (position === at + 1 ? [] : [`position ${position} at ${at + 1}`]));

const required: Record<string, (thing: Thing) => string[]> = {
  Product: ({ name, image, description, brand, offers }) => [
    ...(isText(name) ? [] : ['name']),
    ...(image === undefined || many(image).every(isAddress) ? [] : ['image']),
    ...(description === undefined || isText(description) ? [] : ['description']),
    ...(brand === undefined || isText((brand as Thing).name) ? [] : ['brand.name']),
    ...(many(offers).length > 0 ? many(offers).flatMap(offerFaults) : ['offers']),
  ],
  BreadcrumbList: ({ itemListElement }) => [
    ...positionFaults(many(itemListElement)),
    ...many(itemListElement).flatMap(({ name, item }) =>
      isText(name) && isAddress(item) ? [] : ['name or item'],
    ),
  ],
  ItemList: ({ itemListElement }) => [
    ...positionFaults(many(itemListElement)),
    ...many(itemListElement).flatMap(({ url }) => (isAddress(url) ? [] : ['url'])),
  ],
  Organization: ({ name, url }) => (isText(name) && isAddress(url) ? [] : ['name or url']),
  WebSite: ({ name, url }) => (isText(name) && isAddress(url) ? [] : ['name or url']),
};

it('every page says what it is with all that is required of it', async () => {
  const seen = new Set<string>();
  for (const path of shop.pages)
    for (const thing of await thingsOn(path)) {
      const { '@type': type, '@context': context } = thing;
      seen.add(type);
      expect([path, type, context, required[type]?.(thing) ?? []]).toEqual([
        path,
        type,
        'https://schema.org',
        [],
      ]);
    }
  expect([...seen]).toEqual(
    expect.arrayContaining(['Product', 'BreadcrumbList', 'ItemList', 'Organization', 'WebSite']),
  );
});

it('a product has an offer for each variant, and each offer an address that shows it', async () => {
  const path = shop.pages.find((one) => /^\/shop\/products\/[^?]*shirt/.test(one)) ?? '';
  const [product] = (await thingsOn(path)).filter(({ '@type': type }) => type === 'Product');
  const offers = many(product?.offers);
  expect(offers.length).toBe(4);
  for (const { url, sku, price } of offers) {
    const { text } = (await app.send(String(url).replace(app.url, ''))) as unknown as { text: string };
    expect([isText(sku), text.includes(String(price))]).toEqual([true, true]);
  }
});

it('every page that may be found has a title and a description of its own', async () => {
  const all = shop.pages.filter((path) => !/\?|^\/shop\/(search|order\/.*)$/.test(path));
  const found = await Promise.all(
    all.map(async (path) => {
      const { text } = (await app.send(path)) as unknown as { text: string };
      const [, title = ''] = /<title>([^<]*)<\/title>/.exec(text) ?? [];
      const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(text) ?? [];
      return { path, title, description };
    }),
  );
  expect(found.filter(({ title, description }) => title === '' || description === '')).toEqual([]);
  expect(new Set(found.map(({ title }) => title)).size).toBe(all.length);
});
