// A client that an outside generator makes of the shop's document buys and delivers (storefront-domain 22, S47): names,
// types and addresses of the document are those of the server.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as apiKeys from '#storefront/tools/api-keys/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { clientProgram } from '../support/generated-client.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type MailServer, mailWorker, openMailServer } from '../support/smtp-server.ts';

/** What the program exports; its own types are those of the generated client. */
interface Journey {
  openShop(options: Options): Promise<{ slug: string }>;
  order(options: Options, email: string): Promise<{ number: string; total: number }>;
  send(options: Options, number: string): Promise<string>;
  giveBack(options: Options, number: string): Promise<number>;
  refusal(options: Options): Promise<Refusal>;
  customer(options: Options, person: { email: string; password: string }): Promise<Customer>;
  takeBack(
    options: Options,
    returnNumber: string,
  ): Promise<{ statuses: string[]; refunded: number | undefined }>;
}
interface Customer {
  register(): Promise<boolean>;
  verify(token: string): Promise<string>;
  signIn(): Promise<string>;
  order(slug: string): Promise<string>;
  sendBack(number: string): Promise<string>;
  seen(returnNumber: string): Promise<{ status: string; refunded: number | undefined }>;
  data(): Promise<string>;
  erase(): Promise<boolean>;
  refused(): Promise<Refusal>;
  signInRefused(): Promise<Refusal>;
}
type Options = { baseUrl: string; key: string };
type Refusal = { status: number; code: string };

let app: TestApp;
let mail: MailServer;
let journey: Journey;
let options: Options;
beforeAll(async () => {
  mail = await openMailServer();
  app = await startApp({
    pins: { payment_processors_enabled: '["offline"]' },
    env: { APPCTL_SMTP_URL: mail.url, APPCTL_MAIL_FROM: 'post@shop.test' },
  });
  const { secret } = await app.adminToken('owner');
  const headers = { Authorization: `Bearer ${secret}` };
  const { body } = await app.send('/api-docs.json', { headers });
  const program = join(import.meta.dirname, 'client/journey.ts');
  const made = await clientProgram(body, scratchFolder('appctl-client-'), program);
  journey = await import(pathToFileURL(made).href);
  const scopes = ['products:write', 'orders:write', 'settings:write'] as const;
  const { secret: key } = await apiKeys.create(app.ctx, { name: 'program', scopes: [...scopes] });
  options = { baseUrl: app.url, key };
  expect(await journey.openShop(options)).toEqual({ slug: 'enamel-mug' });
}, 240_000);
afterAll(async () => {
  await app?.close();
  await mail?.close();
});

it('buys as a guest, and staff deliver it and give a part back', async () => {
  const { number, total } = await journey.order(options, 'ann@x.test');
  expect(total).toBe(4300);
  expect(await journey.send(options, number)).toBe('shipped');
  expect(await journey.giveBack(options, number)).toBe(300);
});

it('reads what is refused in the form that the document names', async () => {
  expect(await journey.refusal(options)).toEqual({ status: 404, code: 'NOT_FOUND' });
});

describe('a customer', () => {
  const person = { email: 'bob@x.test', password: 'a walk in the harbour' };
  let bob: Customer;
  let number: string;
  let returnNumber: string;
  beforeAll(async () => {
    bob = await journey.customer(options, person);
  });

  it('registers, proves the address by the mailed link and signs in', async () => {
    expect(await bob.register()).toBe(true);
    await mailWorker(app.ctx).idle();
    const text = mail.to(person.email)[0]?.text ?? '';
    const token = /\/shop\/verify-email\/(\S+)/.exec(text)?.[1] ?? '';
    expect(await bob.verify(token)).toBe(person.email);
    expect(await bob.signIn()).toBe(person.email);
  });

  it('orders to an address of the address book, and staff send it', async () => {
    number = await bob.order('enamel-mug');
    expect(await journey.send(options, number)).toBe('shipped');
  });

  it('sends one of two back, and staff approve it, receive it and refund it', async () => {
    returnNumber = await bob.sendBack(number);
    expect(await bob.seen(returnNumber)).toEqual({ status: 'requested', refunded: undefined });
    expect(await journey.takeBack(options, returnNumber)).toEqual({
      statuses: ['approved', 'received', 'completed'],
      refunded: 1900,
    });
    expect(await bob.seen(returnNumber)).toEqual({ status: 'completed', refunded: 1900 });
  });

  it('reads the copy of the data, and has everything removed', async () => {
    const copy = JSON.parse(await bob.data());
    for (const word of [person.email, '1 Main Street', number, returnNumber])
      expect(JSON.stringify(copy)).toContain(word);
    expect(await bob.erase()).toBe(true);
    expect(await bob.refused()).toEqual({ status: 401, code: 'AUTH_UNAUTHORIZED' });
    expect(await bob.signInRefused()).toEqual({ status: 401, code: 'AUTH_UNAUTHORIZED' });
  });
});
