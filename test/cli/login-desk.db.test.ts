// Signing in from a desk to a real server: what a login may do, and what ends it (cli.md section 1.7, Z7).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import * as accounts from '#platform/accounts/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { runAtTerminal } from '../support/cli-terminal.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { totpCode } from '../support/totp.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';

const PASSWORD = 'five grey geese over Malmö';

let app: TestApp;
let cwd: string;
beforeAll(async () => {
  app = await startApp({ clock: systemClock, pins: LOOPBACK_PINS });
  cwd = scratchFolder('appctl-login-');
  writeFileSync(join(cwd, 'password'), PASSWORD);
});
afterAll(() => app.close());

const env = () => ({ APPCTL_DATA_DIR: join(cwd, 'none'), XDG_CONFIG_HOME: join(cwd, 'config') });
const run = (line: string) => runInside(line.split(' '), { cwd, env: env() });
const answer = async (line: string) => {
  const { code, stdout, stderr } = await run(`${line} --json`);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  return JSON.parse(stdout);
};
async function failure(line: string) {
  const done = await run(`${line} --json`);
  return { exit: done.code, ...errorOf(done) };
}

let made = 0;
/** Somebody with roles, signed in under the name of the account. */
async function signedIn(...roles: string[]): Promise<{ id: string; name: string; email: string }> {
  made += 1;
  const name = `desk${made}`;
  const email = `${name}@x.test`;
  const { id } = await accounts.create(app.ctx, { email, password: PASSWORD, roles });
  await answer(`login ${app.url} --profile ${name} --email ${email} --password-file password`);
  return { id, name, email };
}

describe('a login', () => {
  test('may do what its account may at that moment', async () => {
    const { id, name, email } = await signedIn('viewer');
    const who = await answer(`whoami --profile ${name}`);
    expect(who).toMatchObject({ server: app.url, profile: name, email, roles: ['viewer'] });
    expect(who.token).toContain('@');
    expect((await answer(`webhook list --profile ${name}`)).items).toEqual([]);
    const refused = `webhook create --service license --url http://127.0.0.1:8999/ --profile ${name}`;
    expect(await failure(refused)).toMatchObject({ exit: 4, code: 'INSUFFICIENT_SCOPE' });
    await accounts.setRoles(app.ctx, id, ['owner']);
    expect(await answer(`whoami --profile ${name}`)).toMatchObject({ roles: ['owner'] });
    const person = await runInside(['whoami', '--profile', name], { cwd, env: env() });
    expect(person.stdout).toMatch(/^permissions +everything$/m);
    await answer(refused);
  });

  test('ends with logout, and its file with it', async () => {
    const { name } = await signedIn('licensing');
    const folder = join(cwd, 'config', 'appctl', 'profiles');
    const { token } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    expect(await answer(`logout --profile ${name}`)).toMatchObject({ revoked: true });
    expect(readdirSync(folder)).not.toContain(`${name}.json`);
    const { status } = await app.admin('/me', { id: '', secret: token });
    expect(status).toBe(401);
  });

  test('ends with a new password and with the account', async () => {
    for (const end of [
      (id: string) => accounts.resetPassword(app.ctx, id, { password: 'six grey geese over Malmö' }),
      (id: string) => accounts.disable(app.ctx, id),
    ]) {
      const { id, name } = await signedIn('licensing');
      await end(id);
      expect(await failure(`webhook list --profile ${name}`)).toMatchObject({
        exit: 4,
        code: 'UNAUTHORIZED',
        hint: `appctl login ${app.url} --profile ${name}`,
      });
      expect(await answer(`logout --profile ${name}`)).toMatchObject({ revoked: true });
    }
  });

  test('asks at a terminal for the second factor, and later for the password again', async () => {
    const { id, email } = await signedIn('owner');
    const { secret } = await accounts.setupTwoFactor(app.ctx, id);
    await accounts.confirmTwoFactor(app.ctx, id, totpCode(secret, Date.now() - 30_000));
    // Nothing is asked for an address that leads nowhere.
    for (const [url, code, words] of [
      ['foo', 2, '"foo" is not the address of a server'],
      ['http://127.0.0.1:1', 9, '127.0.0.1:1'],
    ] as const) {
      const lost = await runAtTerminal(['login', url], { cwd, env: env() });
      expect([url, lost.code, lost.screen]).toEqual([url, code, expect.stringContaining(words)]);
      expect(lost.screen).not.toMatch(/email address|Password/);
    }
    const done = await runAtTerminal(['login', app.url, '--profile', 'own'], {
      cwd,
      env: env(),
      answers: [
        ['email address', email],
        ['Password', PASSWORD],
        ['authenticator app', totpCode(secret, Date.now())],
      ],
    });
    expect([done.code, done.screen]).toEqual([0, expect.stringContaining(`signed in  ${email}`)]);
    expect(done.screen).not.toContain(PASSWORD);
    const past = new Date(Date.now() - 3_600_000).toISOString();
    await app.instance.database.transaction(({ knex }) =>
      knex('admin_tokens').where({ admin_user_id: id }).update({ password_proven_at: past }),
    );
    const words = 'webhook create --service license --url http://127.0.0.1:8999/ --profile own'.split(' ');
    expect(await failure(words.join(' '))).toMatchObject({
      exit: 4,
      message: expect.stringContaining('needs your password again'),
    });
    const again = await runAtTerminal(words, { cwd, env: env(), answers: [['Password', PASSWORD]] });
    expect([again.code, again.screen]).toEqual([0, expect.stringContaining('whs_')]);
  });
});

test('a token, a tenant and a path that the server does not know each name what cures it', async () => {
  const { name } = await signedIn('owner');
  expect(await failure(`product list --tenant nowhere --profile ${name}`)).toMatchObject({
    exit: 3,
    message: 'tenant nowhere was not found, or you have no access to it',
    hint: 'leave out --tenant, or name another one',
  });
  await answer(`admin token create --name ci --role viewer --out ci.token --profile ${name}`);
  const withToken = (path = '') => failure(`product list --server ${app.url}${path} --api-key-file ci.token`);
  expect(await withToken('/help')).toMatchObject({
    exit: 3,
    message: `${app.url}/help/ is not the root of an appctl server`,
    hint: `use ${app.url}`,
  });
  const [{ id }] = (await answer(`admin token list --profile ${name}`)).items.filter(
    (token: { name: string }) => token.name === 'ci',
  );
  await answer(`admin token revoke ${id} --yes --profile ${name}`);
  expect(await withToken()).toMatchObject({
    exit: 4,
    message: 'The admin token has been revoked',
    hint: expect.stringContaining('appctl admin token create'),
  });
});
