// What doctor says of payment processors.
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInside } from '../../support/cli-inside.ts';
import { findingOf } from '../../support/doctor.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

let cwd: string;
const appctl = (args: string[]) => runInside(args, { cwd, env: { APPCTL_LISTEN: '127.0.0.1:0' } });
beforeAll(async () => {
  cwd = scratchFolder('appctl-processors-');
  expect((await appctl(['setup', '--owner-email', 'a@x.test', '--generate-password'])).code).toBe(0);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const finding = (env: Record<string, string> = {}) => findingOf(cwd, 'store.payment-processor', env);

test('a processor that is put to use without its keys is told of, with what is missing', async () => {
  expect(await finding()).toMatchObject({ status: 'ok', message: expect.stringContaining('no payment') });
  expect(await finding({ APPCTL_SETTING_STORE_OPEN: 'true' })).toMatchObject({
    status: 'warn',
    hint: expect.stringContaining('appctl settings set payment_processor'),
  });
  expect((await appctl(['settings', 'set', 'payment_processor', 'offline'])).code).toBe(0);
  expect(await finding()).toMatchObject({ status: 'ok', message: 'payments are processed by offline' });
});

test('a processor that was tried with --dev takes no payments without it', async () => {
  const env = { APPCTL_SETTING_PAYMENT_PROCESSOR: 'fake' };
  expect(await finding(env)).toMatchObject({
    status: 'warn',
    message: 'fake is offered with --dev only',
    hint: expect.stringContaining('/store/settings/payment'),
  });
  expect(await finding({ ...env, APPCTL_MODE: 'development' })).toMatchObject({ status: 'ok' });
});

test('a processor without its keys, or without what proves its notifications, is told of', async () => {
  const env = {
    APPCTL_SETTING_PAYMENT_PROCESSOR: 'stripe',
    APPCTL_SETTING_STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
  };
  expect(await finding(env)).toMatchObject({
    status: 'warn',
    message: 'stripe cannot take payments: stripe_secret_key is not set',
  });
  const keyed = { ...env, APPCTL_SETTING_STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef' };
  expect(await finding(keyed)).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('stripe_webhook_secret is not set'),
  });
  const whole = { ...keyed, APPCTL_SETTING_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' };
  expect(await finding(whole)).toMatchObject({ status: 'ok', message: 'payments are processed by stripe' });
});

test('an address in place of a processor is told of: nobody is charged there', async () => {
  const address = (env: Record<string, string> = {}) => findingOf(cwd, 'store.processor-address', env);
  expect(await address()).toMatchObject({ status: 'ok' });
  expect(await address({ APPCTL_SQUARE_API_URL: 'http://127.0.0.1:4243' })).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('payments by square go to http://127.0.0.1:4243'),
    hint: expect.stringContaining('APPCTL_SQUARE_API_URL'),
  });
});
