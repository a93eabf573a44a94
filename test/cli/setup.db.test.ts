// Setup, status and health on both databases, also beside servers.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { verifyPassword } from '#platform/passwords/passwords.ts';
import { migrations } from '../../src/app/migrations.ts';
import { errorOf } from '../support/cli-process.ts';
import { expectRefused, useServiceLife } from './service-life.ts';

const life = useServiceLife();
const { appctl, spawned, json, onDatabase, cwd } = life;

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
    expect(existsSync(join(cwd(), 'data'))).toBe(false);
  });

  test.each([
    [['setup'], 2, '--owner-email is required'],
    [['setup', '--owner-email', 'a@x.test'], 2, '--generate-password is required'],
    [['setup', '--owner-email', 'nobody', '--generate-password'], 2, 'is not a valid email address'],
    [['setup', '--owner-email', 'a@x.test', '--owner-password-env', 'SHORT'], 2, 'the password must have'],
    [['setup', '--owner-email', 'a@x.test', '--owner-password-env', 'NOT_THERE'], 2, 'NOT_THERE is not set'],
    [['setup', '--owner-email', 'a@x.test', '--generate-password', '--signing-key', 'k'], 2, '--product'],
    [['setup', '--answers', 'nowhere.toml'], 2, '--answers'],
  ])('%j ends with %i', async (args, code, message) => {
    expectRefused(await appctl([...args, '--json'], { SHORT: 'short' }), code, message);
    expect(existsSync(join(cwd(), 'data/appctl.toml'))).toBe(false);
  });

  test('works while a server runs, and says exactly what it made', async () => {
    const server = await life.serve();
    const setup = ['setup', '--no-input', '--owner-email', 'ops@x.test', '--generate-password'];
    const answer = await json(setup, 0, {}, spawned);
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
      dataDir: join(cwd(), 'data'),
      tenant: 'default',
      product: null,
    });
    // A running server is not started once more.
    expect(answer.next).toEqual([
      'appctl product create --name Editor --slug editor',
      expect.stringMatching(/^API_KEY=\$\(appctl apikey create --service license .*\)$/),
      expect.stringMatching(/^KEY=\$\(appctl license mint --product editor .*\)$/),
      expect.stringMatching(/^curl .*\/activate$/),
      expect.stringMatching(/^curl .*\/validate$/),
      'appctl setup --sample-data',
    ]);
    expect(JSON.stringify(answer.database)).toContain(life.isSqlite() ? 'sqlite' : 'postgres');
    const [owner] = await owners();
    const { ownerPassword } = answer.secrets as { ownerPassword: string };
    expect(answer.owner).toEqual({ id: owner.id, email: 'ops@x.test' });
    expect(await verifyPassword({ memory: new ProcessMemory() }, ownerPassword, owner.password_hash)).toBe(
      true,
    );
    const status = await json(['status']);
    expect(status).toMatchObject({ running: true, pid: server.child.pid, url: server.url, warnings: [] });
  });

  test('again is safe; a second owner is 5, --force gives a new password', async () => {
    expect(await json(['setup'])).toMatchObject({ owner: { email: 'ops@x.test' }, secrets: {} });
    const args = ['setup', '--owner-email', 'new@x.test', '--owner-password-stdin', '--json'];
    expectRefused(await appctl(args, {}, 'correct horse'), 5, 'an owner already exists (ops@x.test)');
    const forced = await spawned([...args, '--force'], {}, 'correct horse\n');
    expect({ code: forced.code, secrets: JSON.parse(forced.stdout).secrets }).toEqual({
      code: 0,
      secrets: {},
    });
    const found = await owners();
    expect(found).toHaveLength(1);
    expect(found[0].email).toBe('new@x.test');
    expect(
      await verifyPassword({ memory: new ProcessMemory() }, 'correct horse', found[0].password_hash),
    ).toBe(true);
  });

  test('an answers file gives product, signing key and configuration', async () => {
    const lines = ['product = "editor"', 'product-name = "Editor"', 'signing-key = "editor.key"'];
    const answers = ['base-url = "https://license.example.com"', ...lines];
    writeFileSync(join(cwd(), 'answers.toml'), answers.join('\n'));
    const run = await appctl(['setup', '--answers', 'answers.toml', '--json'], {
      APPCTL_KEY_PASSPHRASE: 'geheim',
    });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    const answer = JSON.parse(run.stdout);
    expect(answer).toMatchObject({
      configFile: join(cwd(), 'data/appctl.toml'),
      product: { slug: 'editor' },
      privateKeyFile: 'editor.key',
    });
    expect(statSync(join(cwd(), 'editor.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(cwd(), 'data/appctl.toml'), 'utf8')).toMatch(
      /^base_url = "https:\/\/license\.example\.com"$/m,
    );
    const keys = await json(['keys', 'list', '--product', 'editor']);
    expect(keys.items).toMatchObject([{ publicKey: answer.publicKey, status: 'ACTIVE' }]);
    expectRefused(await appctl(['setup', '--answers', 'answers.toml', '--json']), 5, 'editor.key');
    writeFileSync(join(cwd(), 'answers.toml'), 'ownr-email = "x@x.test"\n');
    const wrong = await appctl(['setup', '--answers', 'answers.toml', '--json']);
    expectRefused(wrong, 2, 'unknown flag --ownr-email');
    expect(errorOf(wrong).hint).toBe('did you mean owner-email?');
    rmSync(join(cwd(), 'data/appctl.toml'));
  });
});

describe('status and health', () => {
  test('without a server status warns, --strict ends with 8, health with 9', async () => {
    const status = await json(['status', '--strict'], 8);
    expect(status).toMatchObject({
      running: false,
      migrations: { applied: migrations.length, pending: 0 },
      queue: { webhooks: 0, emails: 0, inboundSpool: 0, dead: 0 },
      counts: { products: 1, licenses: 0 },
      warnings: [expect.stringMatching(/^no server is running on this data directory/)],
    });
    const health = await appctl(['health', '--json']);
    expectRefused(health, 9, '/api/health');
    expectRefused(await appctl(['health', '--url', 'ftp://x', '--json']), 2, '--url');
  });

  test('health finds the server of the data directory, and waits for one', async () => {
    const waiting = spawned(['health', '--wait', '15', '--json']);
    const server = await life.serve();
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ success: true, status: 'ok' });
    expect(await json(['health'])).toMatchObject({ status: 'ok', ms: expect.any(Number) });
    expect(await json(['health', '--url', server.url])).toMatchObject({ status: 'ok' });
    expectRefused(
      await appctl(['health', '--url', `${server.url}/api/v1/products`, '--json']),
      9,
      'answered 401',
    );
  });

  test('status counts what waits in the outbox, and what was given up', async () => {
    const at = '2026-01-01T00:00:00.000Z';
    const [id, dead] = ['whk_00000000000000000000000001', 'dlv_00000000000000000000000001'];
    const common = { created_at: at, updated_at: at };
    const sealed = { secret_enc: 'x', events: '[]', service: 'license', tenant_id: 'x', name: 'x', url: 'x' };
    await onDatabase(async ({ knex }) => {
      await knex('webhooks').insert({ id, ...sealed, ...common });
      await knex('webhook_deliveries').insert({
        ...{ id: dead, webhook_id: id, tenant_id: 'x', event_id: 'x', event: 'x', subject: 'x', body: 'x' },
        ...{ state: 'FAILED', ended_at: new Date().toISOString(), created_at: at },
      });
      await knex('outbox').insert(
        ['webhook', 'webhook', 'mail'].map((kind, index) => ({
          ...{ id: `out_${String(index).padStart(26, '0')}`, kind, target: kind, ref_id: 'x' },
          ...{ available_at: at, created_at: at, attempts: 1 },
        })),
      );
    });
    expect(await json(['status'])).toMatchObject({
      queue: { webhooks: 2, emails: 1, inboundSpool: 0, dead: 1 },
    });
    await onDatabase(async ({ knex }) => {
      await knex('outbox').delete();
      await knex('webhooks').delete();
    });
  });
});
