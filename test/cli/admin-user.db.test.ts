// Accounts of staff by the terminal (cli.md 3.9): what each command prints, changes and refuses.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { errorOf } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
let database: FreshDatabase;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

interface User {
  id: string;
  email: string;
  status: string;
  roles: string[];
  password?: string;
  inviteUrl?: string;
  mustChangePassword: boolean;
  dryRun?: true;
}

const user = ['admin', 'user'];
const create = (email: string, ...more: string[]) =>
  it.answer<User>([...user, 'create', '--email', email, ...more]);
const refused = async (...words: string[]) => {
  const run = await it.inside([...words, '--json']);
  const { code, message, hint } = errorOf(run);
  return { exit: run.code, code, message, hint };
};
/** Works on the installation as the server would. */
async function within<T>(work: (ctx: Parameters<typeof accounts.signIn>[0]) => Promise<T>): Promise<T> {
  const instance = await it.open();
  try {
    return await work(instance.ctx);
  } finally {
    await instance.close();
  }
}
const signsIn = async (email: string, password: string) =>
  (await within((ctx) => accounts.signIn(ctx, { email, password }))) !== null;

describe('setup token', () => {
  test('prints the link and keeps it in a file of mode 0600; with an owner it is refused', async () => {
    const link = await it.answer<{ url: string; expiresAt: string }>(['setup', 'token', '--ttl', '2h']);
    expect(link.url).toMatch(/^http:\/\/\S+\/admin\/setup\?token=[\w-]{43}$/);
    expect(Date.parse(link.expiresAt) - Date.now()).toBeGreaterThan(7_100_000);
    const file = join(it.cwd, 'data', 'setup-token');
    expect(readFileSync(file, 'utf8')).toBe(`${link.url}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await refused('setup', 'token', '--ttl', '2d')).exit).toBe(2);
    await it.answer(['setup', '--owner-email', 'owner@x.test', '--generate-password']);
    expect(() => statSync(file)).toThrow('ENOENT');
    expect(await refused('setup', 'token')).toMatchObject({ exit: 5, code: 'CONFLICT' });
  });
});

describe('admin user create', () => {
  test('makes a password that is shown once and signs in', async () => {
    const made = await create('ann@x.test', '--role', 'support', '--role', 'viewer', '--generate');
    expect(made).toMatchObject({ status: 'active', roles: ['support', 'viewer'], mustChangePassword: false });
    expect(await signsIn('ANN@x.test', made.password ?? '')).toBe(true);
    const { stdout } = await it.inside([...user, 'show', 'ann@x.test', '--json']);
    expect(JSON.parse(stdout)).not.toHaveProperty('password');
  });

  test('takes a password of a file, and says whether it must be changed', async () => {
    const file = join(it.cwd, 'pw');
    writeFileSync(file, 'correct horse\n', { mode: 0o600 });
    const made = await create('bob@x.test', '--password-file', file, '--must-change-password');
    expect(made).toMatchObject({ roles: [], mustChangePassword: true });
    expect(made).not.toHaveProperty('password');
    expect(await signsIn('bob@x.test', 'correct horse')).toBe(true);
  });

  test('an invitation prints a link that can be made anew, and has no password', async () => {
    const first = await create('new@x.test', '--role', 'viewer', '--invite');
    expect(first).toMatchObject({ status: 'invited' });
    expect(first.inviteUrl).toMatch(/\/admin\/invite\/[\w-]{43}$/);
    const second = await create('new@x.test', '--invite');
    expect([second.id, second.inviteUrl === first.inviteUrl]).toEqual([first.id, false]);
  });

  test('--dry-run shows the plan and adds nobody', async () => {
    const plan = await create('dry@x.test', '--generate', '--dry-run');
    expect(plan).toMatchObject({ email: 'dry@x.test', dryRun: true });
    expect(plan).not.toHaveProperty('password');
    expect(await refused(...user, 'show', 'dry@x.test')).toMatchObject({ exit: 3 });
  });

  test.each([
    [['--email', 'nobody'], '"nobody" is not a valid email address'],
    [['--email', 'a@x.test', '--role', 'king'], '"king" is not a role'],
  ])('refuses %j', async (words, why) => {
    const { exit, message } = await refused(...user, 'create', ...words, '--generate');
    expect([exit, message]).toEqual([2, expect.stringContaining(why)]);
  });

  test('names the role that was meant', async () => {
    const { hint } = await refused(
      ...user,
      'create',
      '--email',
      'a@x.test',
      '--role',
      'supprt',
      '--generate',
    );
    expect(hint).toBe('did you mean support? appctl admin role list shows all roles');
  });

  test('refuses a second account of an address', async () => {
    const again = await refused(...user, 'create', '--email', 'ANN@x.test', '--generate');
    expect(again).toMatchObject({ exit: 5, code: 'CONFLICT' });
  });
});

describe('admin user', () => {
  test('list shows each account', async () => {
    const { items, pagination } = await it.answer<{ items: User[]; pagination: { total: number } }>([
      ...user,
      'list',
    ]);
    expect(items.map(({ email }) => email)).toContain('ann@x.test');
    expect(pagination.total).toBe(items.length);
  });

  test('reset-password makes another password, or a link that changes nothing yet', async () => {
    const { id } = await create('carl@x.test', '--generate');
    const linked = await it.answer<{ resetUrl: string; sessionsRevoked: number }>([
      ...user,
      'reset-password',
      'carl@x.test',
      '--link',
    ]);
    expect(linked).toMatchObject({ id, sessionsRevoked: 0 });
    expect(linked.resetUrl).toMatch(/\/admin\/reset-password\/[\w-]{43}$/);
    const reset = await it.answer<{ password: string }>([
      ...user,
      'reset-password',
      id,
      '--generate',
      '--yes',
    ]);
    expect(await signsIn('carl@x.test', reset.password)).toBe(true);
  });

  test('2fa status and reset', async () => {
    const { id, password = '' } = await create('dora@x.test', '--generate');
    await within(async (ctx) => {
      const { secret } = await accounts.setupTwoFactor(ctx, id);
      const code = generateSync({ secret, epoch: Math.floor(Date.parse(ctx.now()) / 1000) });
      await accounts.confirmTwoFactor(ctx, id, code);
    });
    const status = () => it.answer([...user, '2fa', 'status', 'dora@x.test']);
    expect(await status()).toEqual({ id, enabled: true, recoveryCodesLeft: 10 });
    expect((await refused(...user, '2fa', 'reset', 'dora@x.test', '--no-input')).exit).toBe(10);
    await it.answer([...user, '2fa', 'reset', 'dora@x.test', '--yes']);
    expect(await status()).toEqual({ id, enabled: false, recoveryCodesLeft: 0 });
    expect(await signsIn('dora@x.test', password)).toBe(true);
  });

  test('disable, enable, unlock and delete', async () => {
    const { password = '' } = await create('emil@x.test', '--generate');
    const change = (verb: string) => it.answer<User>([...user, verb, 'emil@x.test', '--yes']);
    expect(await change('disable')).toMatchObject({ status: 'disabled' });
    expect(await signsIn('emil@x.test', password)).toBe(false);
    expect(await refused('admin', 'login-link', 'emil@x.test')).toMatchObject({ exit: 5 });
    expect(await change('enable')).toMatchObject({ status: 'active' });
    expect(await signsIn('emil@x.test', password)).toBe(true);
    expect(await change('unlock')).toMatchObject({ status: 'active' });
    await change('delete');
    expect(await refused(...user, 'show', 'emil@x.test')).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
    expect(await refused(...user, 'delete', 'owner@x.test', '--yes')).toMatchObject({ exit: 5 });
  });

  test('sessions list and revoke; login-link', async () => {
    const { id } = await create('fred@x.test', '--generate');
    const link = await it.answer<{ url: string }>(['admin', 'login-link', 'fred@x.test', '--ttl', '10m']);
    expect(link.url).toMatch(/\/admin\/login-link\/[\w-]{43}$/);
    const { items } = await it.answer<{ items: unknown[] }>([...user, 'sessions', 'list', 'fred@x.test']);
    expect(items).toEqual([]);
    const revoked = await it.answer([...user, 'sessions', 'revoke', 'fred@x.test', '--yes']);
    expect(revoked).toEqual({ id, sessionsRevoked: 0 });
    const one = await refused(...user, 'sessions', 'revoke', id, '--session', 'ses_x', '--yes');
    expect(one).toMatchObject({ exit: 3 });
  });
});
