// The commands of an installation's life on both databases, as processes.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Db } from '#kernel/db/database.ts';
import { verifyPassword } from '#platform/accounts/index.ts';
import { commandTree } from '../../src/cli/index.ts';
import { type CliRun, errorOf, runCli } from '../support/cli-process.ts';
import { type FreshDatabase, freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

let cwd: string;
let database: FreshDatabase;
let env: Record<string, string>;
let server: ServerProcess | undefined;
beforeAll(async () => {
  cwd = scratchFolder('appctl-life-');
  database = await freshDatabaseUrl();
  env = { APPCTL_DATABASE_URL: database.url };
});
afterEach(async () => {
  if (server?.child.exitCode === null) await server.stop();
  server = undefined;
});
afterAll(async () => {
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const appctl = (args: string[], more: Record<string, string> = {}, input?: string) =>
  runCli(args, { cwd, env: { ...env, ...more }, ...(input !== undefined && { input }) });

/** The answer of a command with --json, checked against the schema that it publishes. */
async function json(
  args: string[],
  code = 0,
  more: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const run = await appctl([...args, '--json'], more);
  expect({ args, code: run.code, stderr: run.stderr }).toEqual({ args, code, stderr: '' });
  const spec = commandTree().specs.find(({ path }) => args.join(' ').startsWith(path));
  const schema = await spec?.output?.();
  return schema?.parse(JSON.parse(run.stdout)) as Record<string, unknown>;
}

function refused(run: CliRun, code: number, message: string): void {
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
  expect(errorOf(run).message).toContain(message);
}

async function onDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const opened = await openDatabase(database.url, {
    poolSize: 1,
    busyTimeoutMs: 5000,
    create: false,
    onError: () => undefined,
  });
  try {
    return await opened.transaction(work);
  } finally {
    await opened.close();
  }
}

const owners = () =>
  onDatabase(({ knex }) => knex('admin_users').select('id', 'email', 'name', 'password_hash'));

describe('setup', () => {
  test('a dry run makes nothing', async () => {
    const plan = await json([
      'setup',
      '--owner-email',
      'a@x.test',
      '--generate-password',
      '-n',
      '--product',
      'editor',
    ]);
    expect(plan).toMatchObject({
      dryRun: true,
      owner: { id: null },
      secrets: {},
      product: { id: null, slug: 'editor' },
    });
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  test.each([
    [['setup'], 2, '--owner-email is required'],
    [['setup', '--owner-email', 'a@x.test'], 2, '--generate-password is required'],
    [['setup', '--owner-email', 'nobody', '--generate-password'], 2, 'no e-mail address'],
    [['setup', '--owner-email', 'a@x.test', '--owner-password-env', 'SHORT'], 2, 'the password must have'],
    [['setup', '--owner-email', 'a@x.test', '--owner-password-env', 'NOT_THERE'], 2, 'NOT_THERE is not set'],
    [['setup', '--owner-email', 'a@x.test', '--generate-password', '--signing-key', 'k'], 2, '--product'],
    [['setup', '--answers', 'nowhere.toml'], 2, '--answers'],
  ])('%j ends with %i', async (args, code, message) => {
    refused(await appctl([...args, '--json'], { SHORT: 'short' }), code, message);
    expect(existsSync(join(cwd, 'data/appctl.toml'))).toBe(false);
  });

  test('works while a server runs, and says exactly what it made', async () => {
    server = await startServer([], { cwd, env });
    const answer = await json(['setup', '--no-input', '--owner-email', 'ops@x.test', '--generate-password']);
    expect(Object.keys(answer)).toEqual([
      'configFile',
      'dataDir',
      'database',
      'tenant',
      'owner',
      'secrets',
      'product',
      'publicKey',
      'privateKeyFile',
      'next',
    ]);
    expect(answer).toMatchObject({
      configFile: null,
      dataDir: join(cwd, 'data'),
      tenant: 'default',
      product: null,
    });
    expect(JSON.stringify(answer.database)).toContain(
      database.url.startsWith('sqlite') ? 'sqlite' : 'postgres',
    );
    const [owner] = await owners();
    const { ownerPassword } = answer.secrets as { ownerPassword: string };
    expect(answer.owner).toEqual({ id: owner.id, email: 'ops@x.test' });
    expect(await verifyPassword(ownerPassword, owner.password_hash)).toBe(true);
    const status = await json(['status']);
    expect(status).toMatchObject({ running: true, pid: server.child.pid, url: server.url, warnings: [] });
  });

  test('again is safe; a second owner is 5, --force gives a new password', async () => {
    expect(await json(['setup'])).toMatchObject({ owner: { email: 'ops@x.test' }, secrets: {} });
    const args = ['setup', '--owner-email', 'new@x.test', '--owner-password-stdin', '--json'];
    refused(await appctl(args, {}, 'correct horse'), 5, 'an owner exists already (ops@x.test)');
    const forced = await appctl([...args, '--force'], {}, 'correct horse\n');
    expect({ code: forced.code, secrets: JSON.parse(forced.stdout).secrets }).toEqual({
      code: 0,
      secrets: {},
    });
    const found = await owners();
    expect(found).toHaveLength(1);
    expect(found[0].email).toBe('new@x.test');
    expect(await verifyPassword('correct horse', found[0].password_hash)).toBe(true);
  });

  test('an answers file gives product, signing key and configuration', async () => {
    const lines = ['product = "editor"', 'product-name = "Editor"', 'signing-key = "editor.key"'];
    const answers = ['base-url = "https://license.example.com"', ...lines];
    writeFileSync(join(cwd, 'answers.toml'), answers.join('\n'));
    const run = await appctl(['setup', '--answers', 'answers.toml', '--json'], {
      APPCTL_KEY_PASSPHRASE: 'geheim',
    });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    const answer = JSON.parse(run.stdout);
    expect(answer).toMatchObject({
      configFile: join(cwd, 'data/appctl.toml'),
      product: { slug: 'editor' },
      privateKeyFile: 'editor.key',
    });
    expect(statSync(join(cwd, 'editor.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(cwd, 'data/appctl.toml'), 'utf8')).toMatch(
      /^base_url = "https:\/\/license\.example\.com"$/m,
    );
    const keys = await json(['keys', 'list', '--product', 'editor']);
    expect(keys.items).toMatchObject([{ publicKey: answer.publicKey, status: 'ACTIVE' }]);
    refused(await appctl(['setup', '--answers', 'answers.toml', '--json']), 5, 'editor.key');
    writeFileSync(join(cwd, 'answers.toml'), 'ownr-email = "x@x.test"\n');
    const wrong = await appctl(['setup', '--answers', 'answers.toml', '--json']);
    refused(wrong, 2, 'there is no flag --ownr-email');
    expect(errorOf(wrong).hint).toBe('did you mean owner-email?');
    rmSync(join(cwd, 'data/appctl.toml'));
  });
});

describe('status and health', () => {
  test('without a server status warns, --strict ends with 8, health with 9', async () => {
    const status = await json(['status', '--strict'], 8);
    expect(status).toMatchObject({
      running: false,
      migrations: { applied: 3, pending: 0 },
      queue: { webhooks: 0, emails: 0, inboundSpool: 0, dead: 0 },
      counts: { products: 1, licenses: 0 },
      warnings: ['no server runs on this data directory'],
    });
    const health = await appctl(['health', '--json']);
    refused(health, 9, '/api/health');
    refused(await appctl(['health', '--url', 'ftp://x', '--json']), 2, '--url');
  });

  test('health finds the server of the data directory, and waits for one', async () => {
    const waiting = appctl(['health', '--wait', '15', '--json']);
    server = await startServer([], { cwd, env });
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ success: true, status: 'ok' });
    expect(await json(['health'])).toMatchObject({ status: 'ok', ms: expect.any(Number) });
    expect(await json(['health', '--url', server.url])).toMatchObject({ status: 'ok' });
    refused(await appctl(['health', '--url', `${server.url}/api/v1/products`, '--json']), 9, 'answered 401');
  });

  test('status counts what waits in the outbox', async () => {
    const row = {
      ref_id: 'x',
      available_at: '2026-01-01T00:00:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      attempts: 1,
    };
    const dead = { done_at: '2026-01-01T00:00:00.000Z', last_error: 'gone' };
    await onDatabase(({ knex }) =>
      knex('outbox').insert(
        [{ kind: 'webhook' }, { kind: 'webhook' }, { kind: 'mail' }, { kind: 'mail', ...dead }].map(
          (one, index) => ({
            ...row,
            done_at: null,
            last_error: null,
            ...one,
            id: `out_${String(index).padStart(26, '0')}`,
          }),
        ),
      ),
    );
    expect(await json(['status'])).toMatchObject({
      queue: { webhooks: 2, emails: 1, inboundSpool: 0, dead: 1 },
    });
    await onDatabase(({ knex }) => knex('outbox').delete());
  });
});

describe('jobs', () => {
  test('run --wait works with and without a server, and counts in the list', async () => {
    const run = await json(['jobs', 'run', 'license_expiry', '--wait']);
    expect(run).toMatchObject({ name: 'license-expiry', status: 'ok', result: { expired: 0, announced: 0 } });
    server = await startServer([], { cwd, env });
    expect(await json(['jobs', 'run', 'license-expiry', '--wait'])).toMatchObject({ status: 'ok' });
    const list = await json(['jobs', 'list']);
    expect(list.items).toContainEqual(expect.objectContaining({ name: 'license-expiry', lastStatus: 'ok' }));
  });

  test('without --wait the server starts it; without a server it runs here', async () => {
    expect(await json(['jobs', 'run', 'license-expiry'])).toMatchObject({ status: 'ok' });
    server = await startServer(['--no-jobs'], { cwd, env });
    expect(await json(['jobs', 'run', 'license-expiry'])).toEqual({ name: 'license-expiry', started: true });
  });

  test('an unknown job is 3, a held one 5, a broken one 1', async () => {
    refused(await appctl(['jobs', 'run', 'nothing', '--wait', '--json']), 3, 'there is no job nothing');
    const hold = { lock_owner: 'other:1', locked_until: '2999-01-01T00:00:00.000Z' };
    await onDatabase(({ knex }) => knex('scheduled_jobs').where({ name: 'license-expiry' }).update(hold));
    refused(
      await appctl(['jobs', 'run', 'license-expiry', '--json']),
      5,
      'license-expiry is running already',
    );
    server = await startServer([], { cwd, env });
    refused(
      await appctl(['jobs', 'run', 'license-expiry', '--json']),
      5,
      'license-expiry is running already',
    );
    await server.stop();
    await onDatabase(async ({ knex }) => {
      await knex('scheduled_jobs').update({ lock_owner: null, locked_until: null });
      await knex.schema.renameTable('license_activations', 'license_activations_away');
      await knex.schema.renameTable('licenses', 'licenses_away');
    });
    const run = await appctl(['jobs', 'run', 'license-expiry', '--wait', '--json']);
    await onDatabase(async ({ knex }) => {
      await knex.schema.renameTable('licenses_away', 'licenses');
      await knex.schema.renameTable('license_activations_away', 'license_activations');
    });
    // SQLite writes a renamed table's statements anew, so the schema is made anew too.
    await json(['migrate', 'down', '--yes']);
    await appctl(['migrate', 'up', '--no-backup']);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      status: 'failed',
      result: null,
      error: expect.any(String),
    });
  });
});

describe('settings', () => {
  const key = 'licensing.default_lease_seconds';

  test('list, get, set, unset', async () => {
    const list = await json(['settings', 'list', '--group', 'licensing']);
    expect(list.items).toContainEqual(
      expect.objectContaining({ key, value: 3600, default: 3600, type: 'integer' }),
    );
    expect(await json(['settings', 'set', key, '900', '-n'])).toEqual({
      key,
      old: 3600,
      new: 900,
      dryRun: true,
    });
    expect(await json(['settings', 'get', key])).toEqual({ key, value: 3600, source: 'default' });
    expect(await json(['settings', 'set', key, '900'])).toEqual({ key, old: 3600, new: 900 });
    expect(await json(['settings', 'get', key])).toEqual({ key, value: 900, source: 'database' });
    expect((await json(['settings', 'list', '--changed'])).items).toMatchObject([{ key }]);
    expect(await json(['settings', 'unset', key])).toEqual({
      ok: true,
      action: 'unset',
      id: key,
      changed: true,
    });
    expect(await json(['settings', 'unset', key])).toMatchObject({ changed: false });
  });

  test('an unknown key is 3, a bad value 2, a pinned one 5', async () => {
    refused(await appctl(['settings', 'get', 'nothing', '--json']), 3, 'there is no setting nothing');
    refused(await appctl(['settings', 'set', 'nothing', '1', '--json']), 3, 'there is no setting nothing');
    refused(await appctl(['settings', 'set', key, 'x', '--json']), 2, key);
    refused(await appctl(['settings', 'set', key, '{', '--json-value', '--json']), 2, 'no JSON');
    refused(await appctl(['settings', 'set', key, '--json']), 2, 'VALUE is missing');
    const pin = { APPCTL_SETTING_LICENSING__DEFAULT_LEASE_SECONDS: '120' };
    expect(await json(['settings', 'get', key], 0, pin)).toEqual({ key, value: 120, source: 'environment' });
    refused(await appctl(['settings', 'set', key, '900', '--json'], pin), 5, 'APPCTL_SETTING_LICENSING');
  });

  test('a running server follows', async () => {
    server = await startServer([], { cwd, env });
    const address = `${server.url}/api/v1/products`;
    const limit = async () => (await fetch(address)).headers.get('ratelimit-limit');
    expect(await limit()).toBe('60');
    await json(['settings', 'set', 'licensing.limits.read_extra.max', '7777']);
    await eventually(async () => (await limit()) === '7777');
    await json(['settings', 'unset', 'licensing.limits.read_extra.max']);
  });
});

describe('migrate', () => {
  test('status and verify of a current schema', async () => {
    const status = await json(['migrate', 'status']);
    expect(status).toMatchObject({ pending: [], unknown: [] });
    expect((status.applied as { name: string }[]).map(({ name }) => name)).toEqual([
      '0001-platform',
      '0002-licensing-catalog',
      '0003-licenses',
    ]);
    expect(await json(['migrate', 'verify'])).toEqual({ drift: [] });
  });

  test('verify finds changed checksums, missing and unexpected parts: 6', async () => {
    await onDatabase(async ({ knex }) => {
      await knex.schema.createTable('foreign_table', (t) => t.text('x'));
      await knex.raw('DROP INDEX licenses_order');
      await knex('schema_migrations')
        .where({ name: '0001-platform' })
        .update({ checksum: 'f'.repeat(64) });
    });
    const { drift } = (await json(['migrate', 'verify'], 6)) as {
      drift: { kind: string; line: string }[];
    };
    expect(drift).toContainEqual({ kind: 'checksum', line: '0001-platform' });
    expect(drift.find(({ kind }) => kind === 'missing')?.line).toContain('licenses_order');
    expect(drift.find(({ kind }) => kind === 'unexpected')?.line).toContain('foreign_table');
    await onDatabase(({ knex }) => knex.schema.dropTable('foreign_table'));
  });

  test('a schema newer than the program is 5 everywhere', async () => {
    const row = { name: '9999-future', at: '2026-01-01T00:00:00.000Z', ms: 1, checksum: '0'.repeat(64) };
    await onDatabase(({ knex }) => knex('schema_migrations').insert(row));
    expect(await json(['migrate', 'status'])).toMatchObject({ unknown: ['9999-future'] });
    refused(await appctl(['migrate', 'up', '--json']), 5, '9999-future');
    refused(await appctl(['migrate', 'down', '--yes', '--json']), 5, '9999-future');
    refused(await appctl(['serve', '--listen', '0', '--json']), 5, 'newer appctl');
    refused(await appctl(['jobs', 'list', '--json']), 5, 'newer appctl');
    await onDatabase(({ knex }) => knex('schema_migrations').where({ name: '9999-future' }).delete());
  });

  test('down asks, reverts, and up applies again', async () => {
    refused(await appctl(['migrate', 'down', '--json']), 10, 'revert 0003-licenses');
    refused(await appctl(['migrate', 'down', '--to', 'nothing', '--json']), 3, 'nothing');
    expect(await json(['migrate', 'down', '--all', '-n'])).toMatchObject({ dryRun: true });
    expect(await json(['migrate', 'down', '--yes'])).toEqual({ reverted: ['0003-licenses'] });
    expect(await json(['migrate', 'status'], 8)).toMatchObject({
      pending: [{ name: '0003-licenses', reversible: true }],
    });
    expect(await json(['status'])).toMatchObject({ migrations: { applied: 2, pending: 1 } });
    refused(await appctl(['jobs', 'list', '--json']), 8, 'lacks 1 migrations');
    expect(await json(['migrate', 'up', '-n'])).toEqual({ applied: ['0003-licenses'], dryRun: true });
    const up = await appctl(['migrate', 'up', '--json']);
    expect({ code: up.code, applied: JSON.parse(up.stdout).applied }).toEqual({
      code: 0,
      applied: ['0003-licenses'],
    });
    if (database.url.startsWith('sqlite')) expect(existsSync(JSON.parse(up.stdout).backup)).toBe(true);
    expect(await json(['migrate', 'up'])).toEqual({ applied: [] });
  });
});
