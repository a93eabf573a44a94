// Every row of the specification's section on versions: of the interface, of releases and of the service.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildInfo } from '#kernel/build-info.ts';
import { published, signedProduct } from '../licensing/release-fixture.ts';
import { type Query, refused, updateRequests } from '../licensing/updates.ts';
import { row, specRows } from './rows.ts';
import { MACHINE, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const endpoints = specRows
  .filter(({ table }) => table === 'endpoint')
  .map((endpoint) => endpoint.row.split(' ') as [method: string, path: string]);
/** What no route of the program answers is told so. */
const isServed = async (method: string, path: string) => {
  const { status, body } = await world.send(path, { method, key: world.key });
  return !(status === 404 && body.error?.message === nowhere);
};
let nowhere: unknown;
beforeAll(async () => {
  nowhere = (await world.get('/api/v1/no/such/path', world.key)).body.error?.message;
});

it(
  row('version', '1. public endpoints have the path prefix /api/v1/, and health is /api/health'),
  async () => {
    expect(nowhere).toEqual(expect.any(String));
    const versioned = endpoints.filter(([, path]) => path.startsWith('/api/v1/'));
    expect(endpoints.length - versioned.length).toBe(1);
    for (const [method, path] of versioned) {
      const bare = path.replace('/api/v1/', '/api/');
      expect([path, await isServed(method, path)]).toEqual([path, true]);
      expect([bare, await isServed(method, bare)]).toEqual([bare, false]);
    }
    expect(await isServed('GET', '/api/health')).toBe(true);
    expect(await isServed('GET', '/api/v1/health')).toBe(false);
  },
);

it(
  row('version', '2. releases and current_version are semver, and the channel is stable by default'),
  async () => {
    const send = updateRequests(world);
    const product = await signedProduct(world.ctx, 'reader');
    const { key } = await world.license({ productId: product.id });
    for (const version of ['1.9.0', '1.10.0']) await published(world.ctx, product, version);
    await published(world.ctx, product, '2.0.0-beta.1', { channel: 'beta' });
    const offered = async (query: Query) => (await send.check(key, query)).body.version;
    expect(await offered({ current_version: '1.9.0' })).toBe('1.10.0');
    expect(await offered({ current_version: '1.10.0-rc.1+build.5' })).toBe('1.10.0');
    expect(await offered({ current_version: '1.10.0' })).toBeUndefined();
    expect(await offered({ current_version: '1.10.0', channel: 'beta' })).toBe('2.0.0-beta.1');
    for (const wrong of [{ current_version: '1.9' }, { current_version: 'newest' }, { channel: 'gold' }])
      expect(refused(await send.check(key, wrong))).toEqual([400, 'VALIDATION_ERROR']);
    await expect(published(world.ctx, product, '1.11')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  },
);

it(row('version', '3. health carries a service version string'), async () => {
  const { status, body } = await world.get('/api/health');
  expect([status, body.version]).toEqual([200, buildInfo().version]);
  expect(body.version).toMatch(/^\d+\.\d+\.\d+/);
});

it(
  row(
    'version',
    '4. no policy is shown: version 1 alone is served, and it takes requests with unknown fields',
  ),
  async () => {
    for (const [method, path] of endpoints) {
      for (const other of ['/api/v0/', '/api/v2/']) {
        expect([path, await isServed(method, path.replace(/^\/api\/(?:v1\/)?/, other))]).toEqual([
          path,
          false,
        ]);
      }
    }
    const { key } = await world.license();
    const body = { licenseKey: key, machineId: MACHINE, ofALaterClient: { any: true } };
    expect((await world.call('activate', body)).status).toBe(200);
    expect((await world.call('validate', body)).body.valid).toBe(true);
  },
);
