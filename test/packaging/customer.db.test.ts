// A customer's way through a shop that the executable runs, alone in an empty folder.
import { constants, copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  beginWalk,
  customerSteps,
  endWalk,
  type Place,
  stockShop,
  type Walk,
} from '../browser/customer-walk.ts';
import { jsonCommand, type Launch, type RunningServer, startServer } from '../proof/parts/processes.ts';
import { type Chromium, openChromium } from '../support/chromium.ts';
import { migratedDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type MailServer, openMailServer } from '../support/smtp-server.ts';

const built = join(import.meta.dirname, '../../build/appctl');

let folder: string;
let dropDatabase: (() => Promise<void>) | undefined;
let server: RunningServer;
let chromium: Chromium;
let mail: MailServer;
let walk: Walk;

beforeAll(async () => {
  if (!existsSync(built)) throw new Error('there is no build/appctl: run npm run build');
  [chromium, mail] = await Promise.all([openChromium(), openMailServer()]);
  // A memory file system may forbid execution.
  folder = scratchFolder('appctl-customer-', { durable: true });
  const exe = join(folder, 'appctl');
  copyFileSync(built, exe, constants.COPYFILE_FICLONE);
  const env: Record<string, string> = {
    PATH: '/usr/bin',
    APPCTL_SMTP_URL: mail.url,
    APPCTL_MAIL_FROM: 'post@shop.test',
    APPCTL_SETTING_PAYMENT_PROCESSORS_ENABLED: '["offline"]',
  };
  if (inject('databaseKind') === 'postgres') {
    const { url, drop } = await migratedDatabaseUrl();
    dropDatabase = drop;
    env.APPCTL_DATABASE_URL = url;
  }
  const launch: Launch = { exe, cwd: folder, env };
  const asked = ['setup', '--no-input', '--owner-email', 'ann@x.test', '--generate-password', '--json'];
  const setup = await jsonCommand<{ secrets: { ownerPassword: string } }>(launch, asked.slice(0, -1));
  const scopes = ['products:write', 'orders:write', 'settings:write'].flatMap((scope) => ['--scope', scope]);
  const key = ['apikey', 'create', '--service', 'store', '--name', 'walk', ...scopes];
  const { secret } = await jsonCommand<{ secret: string }>(launch, key);
  server = await startServer(launch);
  const place = placeOf(server.url, secret, setup.secrets.ownerPassword);
  await stockShop(place);
  walk = await beginWalk(chromium, place, { javaScript: true, width: 1280, scheme: 'light' });
}, 120_000);
afterAll(async () => {
  if (walk) await endWalk(walk);
  await server?.stop();
  await Promise.all([chromium?.close(), mail?.close(), dropDatabase?.()]);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** The shop, by the key of its API. */
const placeOf = (url: string, secret: string, password: string): Place => ({
  url,
  owner: { email: 'ann@x.test', password },
  async ask(path, method = 'GET', body = undefined) {
    const answer = await fetch(new URL(`/api/store${path}`, url), {
      method,
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await answer.json()) as {
      data: Record<string, unknown> & { id: string };
      error?: string;
    };
    if (!answer.ok) throw new Error(`${method} ${path}: ${error}`);
    return data;
  },
  async mailsTo(email, count) {
    await expect.poll(() => mail.to(email).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
    return mail.to(email);
  },
});

it.each(customerSteps)('%s', (_name, step) => step(walk), 120_000);
