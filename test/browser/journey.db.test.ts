// A vendor at a browser, from the one-time link to the last look at the audit log: with scripts and without, in a wide
// window and a narrow one, light and dark. Both databases see a journey of each kind.
import { createHmac } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { pinName } from '#platform/settings/index.ts';
import { type Chromium, type Looking, openChromium } from '../support/chromium.ts';
import { runInside } from '../support/cli-inside.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';
import { totpCode } from '../support/totp.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver } from '../support/webhooks.ts';
import { type Walker, walker } from './walker.ts';

const owner = { name: 'Ann Vendor', email: 'ann@x.test' };
const password = 'correct horse battery';

let chromium: Chromium;
beforeAll(async () => {
  chromium = await openChromium();
}, 60_000);
afterAll(() => chromium.close());

const wide = { width: 1280 } as const;
const narrow = { width: 360 } as const;
const journeys: Record<'sqlite' | 'postgres', readonly Required<Looking>[]> = {
  sqlite: [
    { javaScript: true, ...wide, scheme: 'light' },
    { javaScript: false, ...narrow, scheme: 'dark' },
  ],
  postgres: [
    { javaScript: true, ...narrow, scheme: 'dark' },
    { javaScript: false, ...wide, scheme: 'light' },
  ],
};

describe.each(journeys[inject('databaseKind')])('scripts $javaScript, $width px, $scheme', (looking) => {
  let cwd: string;
  let database: FreshDatabase;
  let env: Record<string, string>;
  let server: ServerProcess;
  let receiver: Receiver;
  let ann: Walker;
  beforeAll(async () => {
    cwd = scratchFolder('appctl-journey-');
    database = await migratedDatabaseUrl();
    receiver = await openReceiver();
    const pins = Object.entries(LOOPBACK_PINS).map(([key, text]) => [pinName(key), text]);
    const place = { APPCTL_DATA_DIR: join(cwd, 'data'), APPCTL_DATABASE_URL: database.url };
    env = { ...place, ...Object.fromEntries(pins) };
    server = await startServer([], { cwd, env });
    ann = await walker(chromium, server.url, looking);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await receiver?.close();
    await database?.drop();
    rmSync(cwd, { recursive: true, force: true });
  });

  /** Calls the license API as an application does. */
  async function activate(apiKey: string, licenseKey: string, machineName: string): Promise<void> {
    const { status } = await fetch(`${server.url}/api/v1/license/activate`, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ licenseKey, machineId: `id-of-${machineName}`, machineName }),
    });
    expect(status).toBe(200);
  }

  const secrets = () => ann.page.locator('.secret').allInnerTexts();
  let recoveryCode: string;
  let apiKey: string;
  let licenseKey: string;
  let licensePath: string;

  it('the one-time link makes the owner', async () => {
    const { setupUrl } = JSON.parse(server.stdout().split('\n', 1)[0] ?? '') as { setupUrl: string };
    await ann.open(setupUrl);
    expect(ann.page.url()).toBe(`${server.url}/admin/setup`);
    await ann.stands(/^Set up /);
    await ann.fill({ ...owner, password, passwordAgain: password });
    await ann.press('Create the owner');
    await ann.stands('Your first product');
  });
  it('the first product has a signing key', async () => {
    await ann.fill({ name: 'Editor', slug: 'editor', signingKey: true });
    await ann.press('Create the product');
    await ann.stands(/ is ready$/);
  });
  it('the first call of an application arrives while the page is open', async () => {
    await ann.press('Create the first license');
    await ann.stands('Your first license');
    await ann.press('Create an API key and a license');
    await ann.stands('Your first call');
    const [key = '', license = ''] = await secrets();
    if (!ann.hasScripts) await ann.press('Look again');
    await activate(key, license, 'first');
    await ann.sees('The call arrived: machine first is active.');
    await ann.stands('Your first call');
  });
  it('a second factor is set up', async () => {
    await ann.press('Set up two-factor sign-in');
    await ann.press('Set up');
    await ann.stands('Two-factor sign-in');
    const secret = (await ann.text('main ol code')).replaceAll(' ', '');
    await ann.fill({ code: totpCode(secret, Date.now()) });
    await ann.press('Turn it on');
    await ann.stands('Recovery codes');
    [recoveryCode = ''] = (await ann.text('main pre')).split('\n');
    await ann.press('I have stored them');
  });
  it('a policy and an API key are made, whose secret is shown once', async () => {
    await ann.open('/admin/policies/new');
    await ann.stands('New policy');
    await ann.fill({ name: 'Yearly', defaultDurationDays: '365' });
    await ann.press('Create a policy');
    await ann.stands('Yearly');
    await ann.open('/admin/api-keys/new');
    await ann.fill({ name: 'Shop', scope: 'VALIDATE_ONLY' });
    await ann.stands('New API key');
    await ann.press('Create an API key');
    await ann.stands('The API key was created.');
    [apiKey = ''] = await secrets();
    await ann.open('/admin/api-keys');
    await ann.stands('API keys');
    expect([apiKey.length > 20, (await ann.page.content()).includes(apiKey)]).toEqual([true, false]);
  });
  it('a license is minted', async () => {
    await ann.open('/admin/licenses/new');
    await ann.stands('New license');
    await ann.fill({ productId: 'Editor', customerEmail: 'judy@x.test', policyId: 'Yearly' });
    await ann.press('Create a license');
    await ann.stands('The license was created.');
    [licenseKey = ''] = await secrets();
    await ann.press('Continue');
    await ann.stands(/./);
    licensePath = new URL(ann.page.url()).pathname;
  });
  it('an activation appears in the list of events while it is looked at', async () => {
    const licenseId = licensePath.split('/').at(-1) ?? '';
    await ann.open(`/admin/events?licenseId=${licenseId}&type=LICENSE_ACTIVATED`);
    await ann.stands('Events');
    if (ann.hasScripts) await ann.push('Live');
    await activate(apiKey, licenseKey, 'second');
    await ann.sees('LICENSE_ACTIVATED');
    await ann.stands('Events');
    await ann.open(licensePath);
    await ann.sees('second');
  });
  it('a suspended license is told to a webhook, whose delivery is replayed', async () => {
    await ann.open('/admin/webhooks/new');
    await ann.stands('New webhook');
    await ann.fill({ name: 'Shop', url: receiver.url, events: ['LICENSE_SUSPENDED'] });
    await ann.press('Create a webhook');
    await ann.stands('The webhook was created.');
    const [secret = ''] = await secrets();
    await ann.press('Continue');
    await ann.stands('Shop');
    await ann.open(licensePath);
    await ann.press('Suspend');
    await ann.stands(/^Suspend/);
    await ann.fill({ reason: 'The payment was charged back' });
    await ann.press('Suspend');
    await ann.stands(/./);
    await eventually(() => receiver.received.length === 1);
    await ann.open('/admin/deliveries');
    await ann.stands('Deliveries');
    await ann.press(await ann.text('.rows tbody a'));
    await ann.stands(/./);
    await ann.press('Send again');
    await ann.stands(/./);
    await eventually(() => receiver.received.length === 2);
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    const signature = createHmac('sha256', secret)
      .update(second?.body ?? '')
      .digest('hex');
    expect(second?.headers['X-Webhook-Signature']).toBe(`sha256=${signature}`);
  });
  it('a release is uploaded, signed, published and rolled out', async () => {
    const bundle = join(cwd, 'editor-1.1.0.zip');
    writeFileSync(bundle, 'the next build');
    await ann.open('/admin/releases/new');
    await ann.stands('New release');
    await ann.fill({ productId: 'Editor', version: '1.1.0' });
    await ann.press('Create a release');
    await ann.stands('editor 1.1.0');
    await ann.page.setInputFiles('main [name=bundle]', bundle);
    await ann.press('Upload the bundle');
    await ann.sees('appctl release sign');
    await ann.stands('editor 1.1.0');
    await sign(bundle);
    await ann.page.setInputFiles('main [name=signature]', `${bundle}.sig.json`);
    await ann.press('Upload the signature');
    await ann.press('Publish…');
    await ann.stands(/^Publish/);
    await ann.press('Publish');
    await ann.stands('editor 1.1.0');
    await ann.press('25 %');
    await ann.sees('Offered to 25 % of the machines.');
    await ann.stands('editor 1.1.0');
  });
  it('the audit log is verified', async () => {
    await ann.open('/admin/audit-log');
    await ann.stands('Audit log');
    await ann.press('Verify');
    await ann.stands(/^Verify/);
    await ann.press('Verify');
    await ann.sees('The log is intact');
    await ann.stands(/./);
  });
  it('whoever has signed out sees nothing by going back, and signs in with a recovery code', async () => {
    const { page } = ann;
    await ann.open(licensePath);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(/login/);
    await ann.stands('Sign in');
    await page.goBack();
    await ann.stands('Sign in');
    expect(await page.content()).not.toContain('judy@x.test');
    await ann.fill({ email: owner.email, password });
    await ann.press('Sign in');
    await ann.stands('Two-factor sign-in');
    await ann.push('I cannot use my app');
    await ann.fill({ recoveryCode });
    await ann.press('Sign in with a recovery code');
    await ann.stands(/^APP-/);
    expect(new URL(page.url()).pathname).toBe(licensePath);
  });

  /** Signs a bundle where the key is kept: what the page says to run there. */
  async function sign(bundle: string): Promise<void> {
    const command = (await ann.page.locator('[data-copy]').allInnerTexts()).find((one) => / sign /.test(one));
    const words = (command ?? '').replace('appctl ', '').replace('editor-1.1.0.zip', bundle).split(' ');
    const { code, stderr } = await runInside(words, { cwd, env });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
  }
});
