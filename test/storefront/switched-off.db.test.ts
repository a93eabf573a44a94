// `features.store = off`: the shop's API is gone, and the rest of the program stays.
import { expect, it } from 'vitest';
import { gather } from '#kernel/gather.ts';
import { storefrontCapabilities } from '#storefront/index.ts';
import { startApp } from '../support/app.ts';

it('a server without the shop answers every one of its endpoints with 404, with and without a credential', async () => {
  const app = await startApp({ store: 'off' });
  const { secret } = await app.adminToken('owner');
  const { storeEndpoints } = gather(storefrontCapabilities);
  expect(storeEndpoints.length).toBeGreaterThan(7);
  for (const { method, path } of storeEndpoints) {
    for (const headers of [{}, { Authorization: `Bearer ${secret}` }]) {
      const address = path.replaceAll(/\{(\w+)\}/g, 'x');
      const { status } = await app.send(address, { method: method.toUpperCase(), headers });
      expect([path, status]).toEqual([path, 404]);
    }
  }
  expect((await app.get('/api/v1/products', (await app.apiKey('READ_ONLY')).secret)).status).toBe(200);
  await app.close();
});
