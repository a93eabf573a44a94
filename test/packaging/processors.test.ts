// The SDKs of payment processors in the executable: packed beside the program, and unpacked when one is used.
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonCommand, type Launch, type RunningServer, startServer } from '../proof/parts/processes.ts';
import { copyOfExecutable } from '../support/built-executable.ts';
import { PAYPAL_KEYS, PayPalServer } from '../support/processors/paypal-server.ts';
import { SQUARE_KEYS, SquareServer } from '../support/processors/square-server.ts';
import { STRIPE_KEYS, StripeServer } from '../support/processors/stripe-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
let server: RunningServer;
let secret: string;
const places: { url: string; close(): Promise<void> }[] = [];
beforeAll(async () => {
  folder = scratchFolder('appctl-processors-', { durable: true });
  const exe = copyOfExecutable(folder);
  places.push(await StripeServer.open(), await SquareServer.open(), await PayPalServer.open());
  const [stripe, square, paypal] = places.map(({ url }) => url);
  const env = {
    PATH: '/usr/bin',
    APPCTL_STRIPE_API_URL: String(stripe),
    APPCTL_SQUARE_API_URL: String(square),
    APPCTL_PAYPAL_API_URL: String(paypal),
  };
  const launch: Launch = { exe, cwd: folder, env };
  await jsonCommand(launch, ['setup', '--no-input', '--owner-email', 'a@x.test', '--generate-password']);
  const key = ['apikey', 'create', '--service', 'store', '--name', 'ci', '--scope', 'settings:write'];
  secret = (await jsonCommand<{ secret: string }>(launch, key)).secret;
  server = await startServer(launch, ['--listen', '127.0.0.1:0']);
}, 60_000);
afterAll(async () => {
  await server?.stop();
  for (const place of places) await place.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const ask = async (path: string, method: string, body?: unknown) => {
  const answer = await fetch(new URL(`/api/store${path}`, server.url), {
    method,
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return ((await answer.json()) as { data: unknown }).data;
};

test.each([
  ['stripe', STRIPE_KEYS],
  ['square', SQUARE_KEYS],
  ['paypal', PAYPAL_KEYS],
])('%s is asked by its own SDK', async (id, keys) => {
  await ask('/settings', 'PATCH', { ...keys, currency_code: 'EUR' });
  expect(await ask(`/payment-processors/${id}/test`, 'POST')).toEqual({
    ok: true,
    message: expect.stringContaining('no money moves'),
  });
});
