// Every resource of the shop's staff API, asked as programs ask it (storefront-api.md 1): its list page by page, its
// filters, sorts and search, one item, exports, what is wrong in an address, and who may read and write.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { type Resource, type ResourceSpec, specOn, type Twin } from '#platform/admin/index.ts';
import { API_KEY_SCOPES, type ApiKeyScope } from '#storefront/contract/scopes.ts';
import * as apiKeys from '#storefront/tools/api-keys/index.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { csvItems } from '../platform/admin/resource-walk.ts';
import { fillShop } from '../storefront/filled-shop.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';

type Item = Record<string, unknown>;
interface Page {
  data: Item[];
  pagination: { page: number; per_page: number; total: number; total_pages: number };
}

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
/** What stands in for the names of paths: of each parent the first that its list shows. */
const named = new Map<string, string>();

beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  await fillShop(app);
  await accounts.createOwner(app.ctx, { email: 'olga@x.test', name: 'Olga', password: 'correct horse' });
  client = await storeClient(app, 'owner', { isInstanceWide: true });
  const first = async (path: string, field = 'id'): Promise<string> =>
    String(((await client.send(path)).body as unknown as Page).data[0]?.[field]);
  named.set('/webhooks/{id}', `/webhooks/${await first('/webhooks')}`);
  // The product with options, and the variant with movements.
  const counted = await first('/inventory?tracked=true', 'variant_id');
  const shirt = await first('/products?tag=summer');
  named.set('/products/{productId}', `/products/${shirt}`);
  named.set('/inventory/{variantId}', `/inventory/${counted}`);
  named.set('/price-lists/{priceListId}', `/price-lists/${await first('/price-lists')}`);
  for (const kind of ['tax', 'shipping'])
    named.set(`/${kind}/zones/{zoneId}`, `/${kind}/zones/${await first(`/${kind}/zones`)}`);
  named.set('/promotions/{promotionId}', `/promotions/${await first('/promotions')}`);
  named.set('/gift-cards/{giftCardId}', `/gift-cards/${await first('/gift-cards')}`);
  named.set('/customers/{customerId}', `/customers/${await first('/customers?orders_min=1&sort=created')}`);
  named.set('/orders/{orderId}', `/orders/${await first('/orders')}`);
  const [option] = (await client.send(`/products/${shirt}/options`)).body.data as unknown as Item[];
  named.set('/options/{optionId}', `/options/${option?.id}`);
}, 120_000);
afterAll(() => app.close());

const twins = capabilities
  .flatMap(({ resources = [] }) => resources as readonly Resource[])
  .flatMap((resource) =>
    resource.spec.apis.filter(({ surface }) => surface === 'store').map((twin) => ({ resource, twin })),
  );
const lists = twins
  .filter(({ twin }) => !twin.without?.includes('list'))
  .map(({ resource, twin }) => [twin.path, resource, twin] as const);

const addressOf = (path: string): string =>
  [...named].reduce((address, [place, standing]) => address.replace(place, standing), path);
const query = (values: Record<string, string>): string => `?${new URLSearchParams(values)}`;

it('the shop has nineteen lists or more', () => {
  expect(lists.length).toBeGreaterThan(18);
});

describe.each(lists)('%s', (path, resource, twin) => {
  const spec = specOn(resource.spec as unknown as ResourceSpec<object>, twin as unknown as Twin<object>);
  const { rows } = spec;
  const { paged = true } = twin;
  const isPaged = paged === true;
  const ask = (values: Record<string, string> = {}) => client.send(addressOf(path) + query(values));
  const read = async (values: Record<string, string> = {}): Promise<Page> => {
    const { status, body, text } = await ask(values);
    expect([addressOf(path), values, status === 200 ? '' : text]).toEqual([addressOf(path), values, '']);
    return body as unknown as Page;
  };
  const keyOf = (item: Item): unknown => item[twin.key === 'variantId' ? 'variant_id' : 'id'];

  it('its items have ids, each of its own', async () => {
    const { data } = await read();
    const ids = data.map(keyOf);
    // Percent lists have no prices of their own, which the shop's only list is.
    if (path !== '/price-lists/{priceListId}/prices') expect(ids.length).toBeGreaterThan(0);
    expect(ids.every((id) => typeof id === 'string')).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  if (isPaged) {
    it('its pages of one item each are its items, and beyond the last there is none', async () => {
      const all = await read({ per_page: '100' });
      const { total } = all.pagination;
      expect(all.pagination).toEqual({ page: 1, per_page: 100, total, total_pages: Math.ceil(total / 100) });
      const singles: unknown[] = [];
      for (let page = 1; page <= Math.min(total, 100); page += 1)
        singles.push(...(await read({ per_page: '1', page: `${page}` })).data.map(keyOf));
      expect(singles).toEqual(all.data.map(keyOf));
      const beyond = await read({ per_page: '1', page: '1000000000' });
      expect([beyond.data, beyond.pagination.page, beyond.pagination.total]).toEqual([
        [],
        1_000_000_000,
        total,
      ]);
    });

    it.each([
      ['page', '0'],
      ['page', '-1'],
      ['page', '1000000001'],
      ['page', 'two'],
      ['per_page', '0'],
      ['per_page', '101'],
    ])('%s=%s is told, with its name', async (name, value) => {
      const { status, body } = await ask({ [name]: value });
      expect([status, body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(JSON.stringify(body)).toContain(name);
    });
  }

  it.each(rows.sorts.length > 0 ? [...rows.sorts, 'nonsense'] : [])('sort=%s', async (sort) => {
    const { status, body } = await ask({ sort });
    if (sort === 'nonsense') return expect([status, body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
    if (paged === 'tree') return expect(status).toBe(200);
    const opposite = sort.startsWith('-') ? sort.slice(1) : `-${sort}`;
    const size: Record<string, string> = isPaged ? { per_page: '100' } : {};
    const there = (await read({ sort, ...size })).data.map(keyOf);
    const back = (await read({ sort: opposite, ...size })).data.map(keyOf);
    const { data, pagination } = await read(size);
    const most = isPaged ? Math.min(pagination.total, 100) : data.length;
    expect([status, there.length, back.length]).toEqual([200, most, most]);
    // Of a longer list the two ends are read.
    if (!isPaged || pagination.total <= 100) expect(there.toSorted()).toEqual(back.toSorted());
  });

  const parameters = Object.keys(rows.parameters).filter((name) => name !== twin.parent?.filter);
  it.each(isPaged ? parameters : [])(
    'the filter %s takes nothing that would be another language',
    async (name) => {
      const spelled = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      for (const value of ["'; DROP TABLE products; --", '%', '\u0000', '=1+1', 'é'.repeat(300)]) {
        const { status, body } = await ask({ [spelled]: value });
        // A value that nothing has leaves nothing; one that cannot be is told.
        expect([name, value, [200, 400, 404].includes(status)]).toEqual([name, value, true]);
        if (status === 200) expect((body as unknown as Page).data.length).toBeLessThanOrEqual(20);
        else expect(['VALIDATION_ERROR', 'NOT_FOUND']).toContain(body.error_code);
      }
    },
  );

  if (rows.search && isPaged)
    it('a search for what nothing is called finds nothing, whatever signs it has', async () => {
      for (const q of ['xqzzy', '100%_', "o'hara\\", '" OR 1=1 --', '(', '*']) {
        const { data, pagination } = await read({ q });
        expect([q, data.length]).toEqual([q, pagination.total]);
      }
      expect((await read({ q: 'xqzzy' })).data).toEqual([]);
    });

  if (!twin.without?.includes('get')) {
    it('an item of the list is found by its id, and no other', async () => {
      const [item] = (await read()).data;
      // What belongs to another thing is named by itself.
      const itemPath = twin.itemsAt ?? addressOf(path);
      const one = await client.send(`${itemPath}/${keyOf(item ?? {})}`);
      if (item) expect([one.status, keyOf(one.body.data as unknown as Item)]).toEqual([200, keyOf(item)]);
      for (const id of ['xxx_unknown', '../x', "' OR 1=1", 'a'.repeat(300)]) {
        const { status, body } = await client.send(`${itemPath}/${encodeURIComponent(id)}`);
        expect([id, [400, 404].includes(status)]).toEqual([id, true]);
        expect(['VALIDATION_ERROR', 'NOT_FOUND']).toContain(body.error_code);
      }
    });
  }

  if (!twin.without?.includes('export'))
    it('its export as CSV has a line for each item, and nothing that a spreadsheet would run', async () => {
      const { total } = (await read()).pagination;
      const { status, text, headers } = await client.send(`${addressOf(path)}/export.csv`);
      expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
      const { records, formulas } = csvItems(text);
      expect([records.length, formulas]).toEqual([total, []]);
    });

  it('a key reads it with the scope for it, or the one to write, and with no other', async () => {
    const address = `/api/store${addressOf(path)}`;
    expect((await app.send(address)).status).toBe(401);
    const { read: staff, orRead = staff } = spec.needs;
    const opening = API_KEY_SCOPES.filter((scope) =>
      [orRead, orRead?.replace(/read$/, 'write')].includes(scope),
    );
    const statusWith = async (scopes: readonly ApiKeyScope[]) => {
      const { secret } = await apiKeys.create(app.ctx, { name: 'reader', scopes });
      const { status, body } = await app.send(address, { headers: { Authorization: `Bearer ${secret}` } });
      return [status, body.error_code ?? null];
    };
    for (const scope of opening) expect([scope, ...(await statusWith([scope]))]).toEqual([scope, 200, null]);
    const others = API_KEY_SCOPES.filter((scope) => !opening.includes(scope));
    expect(await statusWith(others)).toEqual([403, 'AUTH_FORBIDDEN']);
  });
});
