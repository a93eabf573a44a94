// A server whose clock stands before 1970: it says so, creates nothing, and works again once the clock is right.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MadeKey, startApp, type TestApp } from '../../support/app.ts';
import { nothing } from '../../support/database-changes.ts';

const SECONDS_TO_1958 = 24_800 * 86_400;

let app: TestApp;
let key: MadeKey;
let productId: string;
beforeAll(async () => {
  app = await startApp();
  key = await app.apiKey('FULL_ADMIN');
  productId = (await app.product()).id;
});
afterAll(() => app.close());

const create = () =>
  app.post('/api/v1/license/create', { productId, customerEmail: 'ann@x.test' }, key.secret);

it('answers health with 503 and create with 500, writes nothing, and recovers without a restart', async () => {
  app.clock.advance(-SECONDS_TO_1958);
  const { result, changes } = await app.changesBy(async () => [await app.get('/api/health'), await create()]);
  app.clock.advance(SECONDS_TO_1958);
  expect(result.map(({ status, body }) => [status, body])).toEqual([
    [
      503,
      {
        success: false,
        status: 'degraded',
        timestamp: expect.stringMatching(/^1958-/),
        error: { code: 'SERVER_ERROR', message: 'The clock of the server is wrong' },
      },
    ],
    [
      500,
      {
        success: false,
        error: { code: 'SERVER_ERROR', message: 'Unexpected error' },
        requestId: expect.stringMatching(/^req_0{10}[0-9A-Z]{16}$/),
      },
    ],
  ]);
  expect(changes).toEqual(nothing);
  expect((await app.get('/api/health')).status).toBe(200);
  expect((await create()).status).toBe(201);
});
