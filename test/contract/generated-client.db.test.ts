// A client that an outside generator makes of the shop's document buys and delivers (storefront-domain 22, S47): names,
// types and addresses of the document are those of the server.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as apiKeys from '#storefront/tools/api-keys/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { clientProgram } from '../support/generated-client.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** What the program exports; its own types are those of the generated client. */
interface Journey {
  openShop(options: Options): Promise<{ slug: string }>;
  order(options: Options, email: string): Promise<{ number: string; total: number }>;
  deliver(options: Options, number: string): Promise<{ status: string; refunded: number }>;
  refusal(options: Options): Promise<{ status: number; code: string }>;
}
type Options = { baseUrl: string; key: string };

let app: TestApp;
let journey: Journey;
let options: Options;
beforeAll(async () => {
  app = await startApp({ pins: { payment_processors_enabled: '["offline"]' } });
  const { secret } = await app.adminToken('owner');
  const headers = { Authorization: `Bearer ${secret}` };
  const { body } = await app.send('/api-docs.json', { headers });
  const program = join(import.meta.dirname, 'client/journey.ts');
  const made = await clientProgram(body, scratchFolder('appctl-client-'), program);
  journey = await import(pathToFileURL(made).href);
  const scopes = ['products:write', 'orders:write', 'settings:write'] as const;
  const { secret: key } = await apiKeys.create(app.ctx, { name: 'program', scopes: [...scopes] });
  options = { baseUrl: app.url, key };
}, 120_000);
afterAll(() => app.close());

it('buys as a guest, and staff deliver it and give a part back', async () => {
  expect(await journey.openShop(options)).toEqual({ slug: 'enamel-mug' });
  const { number, total } = await journey.order(options, 'ann@x.test');
  expect(total).toBe(4300);
  expect(await journey.deliver(options, number)).toEqual({ status: 'shipped', refunded: 300 });
});

it('reads what is refused in the form that the document names', async () => {
  expect(await journey.refusal(options)).toEqual({ status: 404, code: 'NOT_FOUND' });
});
