// GET /api/v1/products: active products only, paginated (D17, D29, D43).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('READ_ONLY')).secret;
});
afterAll(() => app.close());

const list = async (query = '') => {
  const { result, changes } = await app.changesBy(() => app.get(`/api/v1/products${query}`, key));
  expect(changes).toEqual(nothing);
  return result;
};

it('is empty, with pagination, when nothing is sold', async () => {
  expect((await list()).body).toEqual({
    success: true,
    products: [],
    pagination: { page: 1, limit: 50, total: 0, totalPages: 0 },
  });
});

describe('with products', () => {
  beforeAll(async () => {
    await app.product({ name: 'Old', status: 'DEPRECATED' });
    await app.product({ name: 'Gone', status: 'DISCONTINUED' });
    for (const name of ['A', 'B', 'C']) {
      app.clock.advance(1);
      await app.product({ name, slug: name.toLowerCase(), metadata: { internal: true } });
    }
  });

  it('shows the documented fields of those that are sold, and no others', async () => {
    const { body } = await list();
    expect(body.products).toEqual(
      ['A', 'B', 'C'].map((name) => ({
        id: expect.stringMatching(/^prd_/),
        name,
        slug: name.toLowerCase(),
        type: 'DESKTOP',
        status: 'ACTIVE',
        licensingMode: 'STANDARD',
        defaultLicenseType: 'PERPETUAL',
        defaultMaxActivations: 1,
        createdAt: expect.stringMatching(/^2026-/),
      })),
    );
    expect(body.pagination).toEqual({ page: 1, limit: 50, total: 3, totalPages: 1 });
  });

  it.each([
    ['?limit=1', ['A'], { page: 1, limit: 1, total: 3, totalPages: 3 }],
    ['?limit=2&page=2', ['C'], { page: 2, limit: 2, total: 3, totalPages: 2 }],
    ['?limit=500', ['A', 'B', 'C'], { page: 1, limit: 500, total: 3, totalPages: 1 }],
    ['?page=9', [], { page: 9, limit: 50, total: 3, totalPages: 1 }],
    ['?page=1000000000', [], { page: 1_000_000_000, limit: 50, total: 3, totalPages: 1 }],
    ['?filter[x]=1&sort=name;drop', ['A', 'B', 'C'], { page: 1, limit: 50, total: 3, totalPages: 1 }],
  ])('%s', async (query, names, pagination) => {
    const { status, body } = await list(query);
    expect(status).toBe(200);
    expect((body.products as unknown as { name: string }[]).map(({ name }) => name)).toEqual(names);
    expect(body.pagination).toEqual(pagination);
  });

  it.each([
    '?limit=0',
    '?limit=501',
    '?limit=-1',
    '?limit=1.5',
    '?limit=1e2',
    '?limit=',
    '?limit=%201',
    '?limit=x',
    '?limit=NaN',
    '?limit=99999999999999999999',
    '?page=0',
    '?page=-1',
    '?page=1000000001',
    '?page=true',
    '?page=1&page=2',
    '?limit=5&limit=5',
    '?limit[]=5&limit[]=6',
  ])('%s is 400 VALIDATION_ERROR, or reads no list', async (query) => {
    const { status, body } = await list(query);
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});
