// Every check of doctor has something broken that turns it red (cli.md C14); --fix is tested by the command.
import { execFileSync } from 'node:child_process';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { judgeDatabaseVersion, judgeSize } from '#platform/health/database-checks.ts';
import { judgeAddress } from '#platform/health/launch-checks.ts';
import {
  judgeFreeDisk,
  judgeFreeMemory,
  judgeNodeVersion,
  judgeUser,
} from '#platform/health/machine-checks.ts';
import { judgeProcesses } from '#platform/health/process-checks.ts';
import { judgeTimeZone } from '#platform/health/service-checks.ts';
import { hashPassword } from '#platform/passwords/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { openScope } from '../../src/cli/doctor/scope.ts';
import { runInside } from '../support/cli-inside.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { breakDatabaseIn, findingOf } from '../support/doctor.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { startServer } from '../support/server-process.ts';

let cwd: string;
let template: string;
let licenseId: string;
beforeAll(async () => {
  template = scratchFolder('appctl-doctor-');
  const words = ['setup', '--owner-email', 'a@x.test', '--generate-password', '--product', 'editor'];
  expect((await runInside(words, { cwd: template })).code).toBe(0);
  expect((await runInside(['jobs', 'list'], { cwd: template })).code).toBe(0);
  expect(
    (await runInside(['keys', 'generate', '--product', 'editor', '--server-held'], { cwd: template })).code,
  ).toBe(0);
  const mint = ['license', 'mint', '--product', 'editor', '--email', 'ann@x.test', '--json'];
  licenseId = JSON.parse((await runInside(mint, { cwd: template })).stdout).id;
  await readyToLaunch();
});
afterAll(() => rmSync(template, { recursive: true, force: true }));
beforeEach(() => {
  cwd = scratchFolder('appctl-doctor-');
  cpSync(template, cwd, { recursive: true });
  for (const folder of ['', 'run']) if (existsSync(data(folder))) chmodSync(data(folder), 0o700);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const data = (name: string) => join(cwd, 'data', name);
const diagnose = (id: string, env?: Record<string, string>) => findingOf(cwd, id, env);
const breakDatabase = (...statements: string[]) => breakDatabaseIn(cwd, statements);

/** Those that service.test.ts and serve-acme.db.test.ts find faults with. */
const tested = new Set(['env.service-unit', 'net.acme-directory']);
afterAll(() => expect([...tested].sort()).toEqual(checks.map(({ id }) => id).sort()));

/** What the launch checklist asks for. */
async function readyToLaunch(): Promise<void> {
  const key =
    '--service license --name app --scope VALIDATE_ONLY --product editor --limit write=600/15m --reveal';
  for (const words of [
    ['keys', 'master', '--kept'],
    ['db', 'copy', '--to', 'sqlite:copy.db'],
    ['apikey', 'create', ...key.split(' ')],
  ])
    expect((await runInside(words, { cwd: template })).code).toBe(0);
  writeFileSync(join(template, 'appctl.toml'), '[mail]\nurl = "file:mails"\nfrom = "shop@x.test"\n');
  breakDatabaseIn(template, [
    "INSERT INTO second_factors (subject_id, secret_enc, enabled_at, last_step, created_at) SELECT id, 'x', created_at, 0, created_at FROM admin_users",
  ]);
}

/** A broken fixture: the check is green before and `status` after. */
function turns(
  id: string,
  status: 'warn' | 'fail',
  how: () => void | Promise<void> | Record<string, string>,
) {
  tested.add(id);
  test(`${id} turns to ${status}`, async () => {
    expect((await diagnose(id))?.status).toMatch(/ok|skip/);
    const env = (await how()) as Record<string, string> | undefined;
    expect(await diagnose(id, env)).toMatchObject({ status, hint: expect.stringMatching(/./) });
  });
}

const LOG = '20260101T000000Z-00000000';

/** What a server with a stream leaves. */
function shipped(change: object): void {
  const log = { kind: 'appctl-stream', v: 1, id: LOG, createdAt: '2026-01-01T00:00:00.000Z' };
  const nobody = { installation: null, masterKeyId: null, recipient: null, identity: null, masterKey: null };
  const state = { log: { ...log, ...nobody }, sealedFor: null, number: 1, position: null, closed: null };
  mkdirSync(data('stream'), { mode: 0o700 });
  const at = '2026-01-01T00:00:00.000Z';
  writeFileSync(data('stream/state.json'), JSON.stringify({ ...state, at, ...change }));
}

const address = (baseUrl: string) => judgeAddress({ mode: 'production', baseUrl, baseUrlIsSet: true });

/** @param minutes ago that one ended */
function processes(serving: number, minutes: readonly number[]) {
  const ago = (n: number) => new Date(Date.now() - n * 60_000).toISOString();
  const ended = minutes.map((n) => ({ at: ago(n), how: 'SIGKILL' }));
  const fewerSince = serving < 2 ? ago(5) : null;
  return judgeProcesses({ serving, wanted: 2, fewerSince, ended }, Date.now());
}

describe('machine', () => {
  test.each([
    ['env.node-version', judgeNodeVersion('v24.15.0'), judgeNodeVersion('v24.14.9')],
    ['env.node-version', judgeNodeVersion('v26.0.0'), judgeNodeVersion('v20.20.2')],
    ['env.disk-space', judgeFreeDisk(5e9), judgeFreeDisk(5e7)],
    ['env.memory', judgeFreeMemory(5e8), judgeFreeMemory(5e7)],
    ['env.running-as-root', judgeUser(1000, 1000), judgeUser(0, 0)],
    ['env.processes', processes(2, [1, 2]), processes(2, [1, 2, 3])],
    ['env.processes', processes(2, [1, 31, 32]), processes(1, [])],
    ['db.version', judgeDatabaseVersion('SQLite 3.53.1'), judgeDatabaseVersion('SQLite 3.44.0')],
    [
      'db.version',
      judgeDatabaseVersion('PostgreSQL 15.4 (Debian)'),
      judgeDatabaseVersion('PostgreSQL 14.12'),
    ],
    [
      'jobs.time-zone',
      judgeTimeZone('UTC', true, 'Europe/Berlin'),
      judgeTimeZone('UTC', false, 'Europe/Berlin'),
    ],
    [
      'jobs.time-zone',
      judgeTimeZone('UTC', false, 'Etc/UTC'),
      judgeTimeZone('UTC', false, 'America/New_York'),
    ],
    ['db.size', judgeSize(1e6, 1e9), judgeSize(1e9, 1e6)],
    ['config.public-address', address('https://license.example.com'), address('http://license.example.com')],
    ['config.public-address', address('https://license.example.com'), address('http://127.0.0.1:8480')],
  ])('%s', (id, good, bad) => {
    tested.add(id);
    expect(good.status).toBe('ok');
    expect(bad.status).toMatch(/warn|fail/);
    expect(bad.hint).toMatch(/\w+ \w+/);
  });

  test('they look at this machine', async () => {
    for (const id of ['env.node-version', 'env.disk-space', 'env.memory', 'db.version', 'db.size']) {
      expect(await diagnose(id)).toMatchObject({ status: 'ok' });
    }
    expect((await diagnose('env.running-as-root'))?.status).toBe(process.getuid?.() === 0 ? 'warn' : 'ok');
  });

  turns('env.clock-skew', 'fail', () =>
    breakDatabase("UPDATE schema_migrations SET at = '2999-01-01T00:00:00.000Z'"),
  );
  turns('env.file-permissions', 'fail', () => chmodSync(data(''), 0o755));
});

describe('configuration', () => {
  turns('config.valid', 'fail', () => ({ APPCTL_LISTEN: 'nowhere' }));
  turns('config.unknown-names', 'warn', () => ({ APPCTL_SOMETHING_ELSE: '1' }));
  turns('config.base-url-matches-proxy', 'warn', () => ({ APPCTL_BASE_URL: 'https://license.example.com' }));
  turns('config.base-url-served', 'warn', () => {
    breakDatabase(
      `INSERT INTO settings (key, value, is_secret, created_at, updated_at)
       VALUES ('system.served_at', '{"url":"https://shop.example.com","isSet":true}', 0, 'x', 'x')`,
    );
    return { APPCTL_BASE_URL: 'http://127.0.0.1:8480' };
  });
  turns('config.trust-proxy', 'warn', () => ({ APPCTL_LISTEN: '0.0.0.0:0', APPCTL_TRUST_PROXY: '1' }));
  const insecure = { APPCTL_BASE_URL: 'http://license.example.com', APPCTL_INSECURE_HTTP: '1' };
  turns('config.http-in-production', 'warn', () => insecure);
  turns('config.http-in-production', 'warn', () => ({ ...insecure, APPCTL_LISTEN: ':0' }));
  turns('config.http-in-production', 'fail', () => ({ APPCTL_LISTEN: ':0' }));
  turns('config.rate-limit-off', 'warn', () => ({ APPCTL_RATE_LIMIT: 'off' }));
  turns('config.secrets-world-readable', 'fail', () => {
    writeFileSync(join(cwd, 'appctl.toml'), '[metrics]\ntoken = "geheim"\n', { mode: 0o644 });
  });
  test('a configuration that names the file of a secret may be read by everyone', async () => {
    writeFileSync(join(cwd, 'token'), 'geheim\n', { mode: 0o600 });
    writeFileSync(join(cwd, 'appctl.toml'), '[metrics]\ntoken_file = "token"\n', { mode: 0o644 });
    expect(await diagnose('config.secrets-world-readable')).toMatchObject({ status: 'ok' });
  });
});

describe('database', () => {
  turns('db.connect', 'fail', () =>
    writeFileSync(data('appctl.db'), 'this is no database, and longer than a header'.repeat(99)),
  );
  turns('db.migrations', 'fail', () => breakDatabase("UPDATE schema_migrations SET checksum = 'other'"));
  turns('db.integrity', 'fail', () =>
    breakDatabase(
      'PRAGMA writable_schema = on',
      "UPDATE sqlite_master SET sql = replace(sql, '(target, ', '(kind, target, ') WHERE name = 'outbox_due'",
      "INSERT INTO outbox (id, kind, ref_id, available_at, attempts, created_at) VALUES ('out_00000000000000000000000001', 'x', 'x', 'x', 0, 'x')",
    ),
  );
  turns('db.foreign-keys', 'fail', () =>
    breakDatabase("UPDATE license_products SET tenant_id = 'ten_00000000000000000000000009'"),
  );
  turns('db.wal', 'warn', () => {
    writeFileSync(data('appctl.db-wal'), '');
    truncateSync(data('appctl.db-wal'), 100_000_000);
  });
});

describe('services', () => {
  turns('db.installation', 'fail', () => rmSync(data('appctl.db')));
  turns('keys.master-key', 'fail', () => {
    rmSync(data('master.key'));
    writeFileSync(data('master.key'), 'b'.repeat(64), { mode: 0o600 });
  });
  turns('jobs.last-run', 'fail', () => {
    breakDatabase("UPDATE scheduled_jobs SET last_status = 'failed', last_error = 'broke'");
  });
  turns('jobs.stuck', 'warn', () => {
    breakDatabase(
      "UPDATE scheduled_jobs SET lock_owner = 'gone:1', locked_until = '2026-01-01T00:00:00.000Z'",
    );
  });
  /** As an import, or an older program, may have left it. */
  const passwordIs = async (password: string) => {
    const hash = await hashPassword({ memory: new ProcessMemory() }, password);
    breakDatabase(`UPDATE admin_users SET password_hash = '${hash}'`);
  };
  turns('admin.weak-password', 'fail', () => passwordIs('a@x.test'));
  turns('admin.weak-password', 'fail', () => passwordIs('appctl123'));
  turns('admin.weak-password', 'fail', () => passwordIs('password'));
  test('admin.weak-password leaves accounts of the last day alone unless somebody asks', async () => {
    const check = checks.find(({ id }) => id === 'admin.weak-password');
    const { scope, close } = await openScope({ cwd, env: { HOME: cwd } });
    const routine = { ...scope, isRoutine: true } as const;
    await passwordIs('password');
    expect(await check?.run(routine)).toMatchObject({ status: 'skip' });
    breakDatabase("UPDATE admin_users SET created_at = '2026-01-01T00:00:00.000Z'");
    expect(await check?.run(routine)).toMatchObject({ status: 'fail' });
    await close();
  });
  turns('audit.chain', 'fail', () =>
    breakDatabase('DROP TRIGGER audit_log_no_update', "UPDATE audit_log SET action = 'OTHER' WHERE seq = 1"),
  );
  turns('audit.chain', 'fail', () =>
    breakDatabase('DROP TRIGGER audit_log_no_delete', 'DELETE FROM audit_log WHERE seq = 2'),
  );
  turns('store.brand-contrast', 'warn', async () => {
    expect((await runInside(['settings', 'set', 'brand_color', '#ffee00'], { cwd })).code).toBe(0);
  });
  turns('config.locale-dir', 'fail', () => {
    const folder = join(cwd, 'texts');
    mkdirSync(folder);
    writeFileSync(join(folder, 'nl.json'), '{"nav": {"hom": "Start"}}');
    return { APPCTL_LOCALE_DIR: folder };
  });
  turns('keys.master-kept', 'warn', () =>
    breakDatabase("DELETE FROM settings WHERE key = 'system.master_key_kept'"),
  );
  turns('db.backup-age', 'warn', () => rmSync(data('last-copy')));
  turns('db.backup-age', 'warn', () =>
    writeFileSync(data('last-copy'), '{"at":"2026-01-01T00:00:00.000Z","target":"sqlite:copy.db"}'),
  );
  turns('db.backup-age', 'fail', () =>
    writeFileSync(
      data('last-backup'),
      '{"createdAt":"2099-01-01T00:00:00.000Z","target":"/backups/x","sizeBytes":1,"encrypted":false}',
    ),
  );
  turns('db.backup-stream', 'warn', () => ({ APPCTL_BACKUP_STREAM: 'on' }));
  turns('db.backup-stream', 'warn', () => {
    shipped({ base: null });
    return { APPCTL_BACKUP_STREAM: 'on' };
  });
  turns('db.backup-stream', 'warn', () => {
    shipped({ base: { number: 1, takenAt: '2026-01-01T00:00:00.000Z' } });
    mkdirSync(data(`stream/${LOG}`));
    writeFileSync(data(`stream/${LOG}/0000000002-20260101T000000000Z-end`), '');
    return { APPCTL_BACKUP_STREAM: 'on' };
  });
  turns('admin.two-factor', 'warn', () => breakDatabase('DELETE FROM second_factors'));
  turns('license.embedded-key', 'warn', () => breakDatabase('UPDATE api_keys SET limits = NULL'));
  turns('license.embedded-key', 'warn', () => breakDatabase('UPDATE api_keys SET revoked_at = created_at'));
  turns('store.legal-pages', 'warn', async () => {
    expect((await runInside(['settings', 'set', 'store_open', 'true'], { cwd })).code).toBe(0);
  });
  turns('admin.owner-exists', 'warn', () =>
    breakDatabase('DELETE FROM admin_user_roles', 'DELETE FROM admin_users'),
  );
  const withTls = () => ({
    APPCTL_TLS_CERT: join(cwd, 'cert.pem'),
    APPCTL_TLS_KEY: join(cwd, 'key.pem'),
    APPCTL_BASE_URL: 'https://x.test',
  });
  turns('net.tls-expiry', 'warn', () => {
    const request = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=old', '-days', '1'];
    const files = ['-keyout', join(cwd, 'key.pem'), '-out', join(cwd, 'cert.pem')];
    execFileSync('openssl', [...request, ...files], { stdio: 'ignore' });
    return withTls();
  });
  turns('net.tls-expiry', 'fail', () => {
    writeFileSync(join(cwd, 'cert.pem'), 'no certificate');
    return withTls();
  });

  tested.add('net.port-in-use');
  test('net.port-in-use fails for a stranger, and not for the own server', async () => {
    const stranger = createServer().listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as { port: number };
    const env = { APPCTL_LISTEN: `127.0.0.1:${port}` };
    expect(await diagnose('net.port-in-use', env)).toMatchObject({ status: 'fail' });
    stranger.close();
    await once(stranger, 'close');
    const server = await startServer([], { cwd, env });
    expect(await diagnose('net.port-in-use', env)).toMatchObject({ status: 'ok' });
    await server.stop();
  });
});

describe('licensing', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const activation = (number: number, machine: string) =>
    `INSERT INTO license_activations (id, tenant_id, license_id, kind, machine_id, activated_at, last_seen_at, created_at)
     SELECT 'act_${String(number).padStart(26, '0')}', tenant_id, id, 'NODE', '${machine}', '${at}', '${at}', '${at}'
       FROM licenses`;
  const refusal = `VALUES ('license', 'read', 'address', '::1', 7, 60, 900, '2099', '2099', '2099')`;
  turns('license.rate-limits', 'warn', () => breakDatabase(`INSERT INTO limit_refusals ${refusal}`));
  turns('license.invariants', 'fail', () =>
    breakDatabase(activation(1, 'machine-1'), activation(2, 'machine-2')),
  );
  test('license.invariants allows seats that were taken before the limit was lowered', async () => {
    breakDatabase(
      activation(1, 'machine-1'),
      activation(2, 'machine-2'),
      `INSERT INTO events (id, type, service, tenant_id, subject, at, actor_kind, data, diff)
       VALUES ('evt_00000000000000000000000001', 'LICENSE_UPDATED', 'license', 'x', '${licenseId}', '${at}', 'cli', '{}', '{"maxActivations":[2,1]}')`,
    );
    expect(await diagnose('license.invariants')).toMatchObject({ status: 'ok' });
  });
  turns('license.invariants', 'fail', () =>
    breakDatabase(
      'DROP INDEX license_activations_one_live',
      'UPDATE licenses SET max_activations = 5',
      activation(1, 'machine-1'),
      activation(2, 'machine-1'),
    ),
  );
  turns('license.invariants', 'fail', () => breakDatabase('DELETE FROM license_keys'));
  turns('license.invariants', 'fail', () => breakDatabase("UPDATE license_keys SET digest = 'other'"));
  turns('license.invariants', 'fail', () =>
    breakDatabase(activation(1, 'machine-1'), `UPDATE licenses SET status = 'REVOKED', revoked_at = '${at}'`),
  );
  turns('license.invariants', 'fail', () =>
    breakDatabase(activation(1, 'machine-1'), `UPDATE licenses SET deleted_at = '${at}'`),
  );
  const usage = (number: number, epoch: number) =>
    `INSERT INTO license_usage (license_id, epoch, id, tenant_id, feature, quantity, counter_after, at)
     SELECT id, ${epoch}, 'use_${String(number).padStart(26, '0')}', tenant_id, 'export', 2, 2, '${at}' FROM licenses`;
  turns('license.invariants', 'fail', () => breakDatabase('UPDATE licenses SET current_uses = 1'));
  turns('license.invariants', 'fail', () => breakDatabase(usage(1, 0)));
  turns('license.invariants', 'fail', () => breakDatabase('UPDATE licenses SET usage_base = 1'));
  test('license.invariants adds up the records since the last reset or set', async () => {
    breakDatabase(
      'UPDATE licenses SET current_uses = 7, usage_base = 3, usage_epoch = 1',
      usage(1, 0),
      usage(2, 1),
      usage(3, 1),
    );
    expect(await diagnose('license.invariants')).toMatchObject({ status: 'ok' });
  });

  turns('keys.active-per-product', 'warn', () => {
    breakDatabase("UPDATE license_signing_keys SET status = 'RETIRED'");
  });
  turns('keys.decryptable', 'fail', () => {
    breakDatabase("UPDATE license_signing_keys SET id = 'key_00000000000000000000000001'");
  });
});

describe('releases', () => {
  const ship = async () => {
    writeFileSync(join(cwd, 'editor.zip'), 'bundle');
    const { stdout } = await runInside(['keys', 'list', '--json'], { cwd });
    const key = `store:${JSON.parse(stdout).items[0].keyId}`;
    const words = [
      'release',
      'ship',
      'editor.zip',
      '--product',
      'editor',
      '--version',
      '1.0.0',
      '--key',
      key,
    ];
    expect((await runInside(words, { cwd })).code).toBe(0);
  };

  turns('releases.files-present', 'fail', async () => {
    await ship();
    rmSync(data('bundles'), { recursive: true });
  });
  turns('releases.storage', 'fail', async () => {
    await ship();
    rmSync(data('bundles'), { recursive: true });
    writeFileSync(data('bundles'), '');
  });
  turns('keys.release-signatures', 'fail', async () => {
    await ship();
    breakDatabase("UPDATE license_releases SET signature = replace(signature, substr(signature, 1, 1), '-')");
  });
});

describe('webhooks', () => {
  const run = async (...words: string[]) => expect((await runInside(words, { cwd })).code).toBe(0);
  const makeWebhook = () =>
    run('webhook', 'create', '--service', 'license', '--url', 'https://93.184.216.34/hook', '--reveal');
  const makeInbound = async (...statements: string[]) => {
    await run('webhook', 'inbound', 'create', '--processor', 'generic', '--generate-secret', '--reveal');
    breakDatabase(...statements);
  };
  const failedEvent = (reason: string) =>
    `INSERT INTO license_inbound_events (id, tenant_id, config_id, processor_event_id, event_name, status, reason, body, headers, received_at, unmapped, created_at)
     SELECT 'ibe_00000000000000000000000001', tenant_id, id, 'x', 'purchase', 'FAILED', '${reason}', '', '{}', created_at, '["plan_1"]', created_at
       FROM license_inbound_configs`;

  turns('webhooks.disabled', 'warn', async () => {
    await makeWebhook();
    breakDatabase("UPDATE webhooks SET enabled = 0, disabled_at = 'x', consecutive_failures = 20");
  });
  turns('webhooks.dead-queue', 'warn', async () => {
    await makeWebhook();
    await run('license', 'mint', '--product', 'editor', '--email', 'bob@x.test', '--json');
    breakDatabase("UPDATE outbox SET available_at = '2026-01-01T00:00:00.000Z'");
  });
  turns('webhooks.failing', 'warn', async () => {
    await makeWebhook();
    await run('license', 'mint', '--product', 'editor', '--email', 'bob@x.test', '--json');
    breakDatabase("UPDATE webhook_deliveries SET attempts = 1, last_error = 'connect ECONNREFUSED'");
  });
  turns('webhooks.private-ranges', 'warn', () => ({ APPCTL_WEBHOOK_ALLOW_PRIVATE: '0.0.0.0/0,::/0' }));
  turns('inbound.spool', 'warn', () => {
    mkdirSync(data('spool/inbound'), { recursive: true });
    writeFileSync(data('spool/inbound/01J9ZK3T5W8Y2QF4M6N7P0R1SV.json'), '{}');
  });
  turns('store.payment-spool', 'warn', () => {
    mkdirSync(data('spool/payments'), { recursive: true });
    writeFileSync(data('spool/payments/01J9ZK3T5W8Y2QF4M6N7P0R1SV.json'), '{}');
  });
  turns('inbound.failed-events', 'warn', () => makeInbound(failedEvent('QUANTITY')));
  turns('inbound.unmapped', 'warn', () => makeInbound(failedEvent('UNMAPPED')));
});

describe('mail', () => {
  /** An email that has waited since the spring: nobody has named a mail server. */
  const waiting = () =>
    breakDatabase(
      `INSERT INTO email_log (id, template, to_address, subject, locale, dedupe_key, status, attempts, run, created_at, updated_at)
       VALUES ('eml_01KAFZ8R4N6T2V9X3B5C7D0E1F', 'email_test', 'a@x.test', 'Test', 'en', 'test', 'queued', 0, 0, '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z')`,
    );
  const unset = () => rmSync(join(cwd, 'appctl.toml'));
  turns('mail.configured', 'warn', unset);
  turns('mail.configured', 'warn', () => {
    unset();
    waiting();
  });
  turns('mail.queue-age', 'warn', waiting);
  turns('mail.failing', 'warn', () => {
    waiting();
    breakDatabase("UPDATE email_log SET attempts = 2, error = 'connect ECONNREFUSED'");
  });
  turns('mail.connect', 'warn', () => ({
    APPCTL_SMTP_URL: 'smtp://127.0.0.1:1',
    APPCTL_MAIL_FROM: 'a@x.test',
  }));
});

describe('the sender address', () => {
  const of = (domain: string) => ({
    APPCTL_SMTP_URL: 'smtp://127.0.0.1:1',
    APPCTL_MAIL_FROM: `shop@${domain}`,
  });
  let server: DnsServer;
  const before = dns.getServers();
  beforeAll(async () => {
    server = await startDnsServer({
      names: {
        'none.test': { texts: ['google-site-verification=x'] },
        'two.test': { texts: ['v=spf1 -all', 'v=spf1 ~all'] },
        'one.test': { texts: ['other', `v=spf1 include:${'x'.repeat(260)}.test ~all`] },
        'broken.test': { code: 'SERVFAIL' },
      },
    });
    dns.setServers([`127.0.0.1:${server.port}`]);
  });
  afterAll(async () => {
    dns.setServers(before);
    await server.close();
  });
  turns('mail.spf-hint', 'warn', () => of('none.test'));
  turns('mail.spf-hint', 'warn', () => of('nobody.test'));
  turns('mail.spf-hint', 'warn', () => of('two.test'));
  test('mail.spf-hint is content with one record, and says nothing where nobody answers', async () => {
    expect(await diagnose('mail.spf-hint', of('one.test'))).toMatchObject({ status: 'ok' });
    expect(await diagnose('mail.spf-hint', of('broken.test'))).toMatchObject({ status: 'skip' });
  });
});

// test/storefront/media-checks.db.test.ts holds what breaks these, and what repairs them.
for (const id of ['orphans', 'missing-variants']) tested.add(`media.${id}`);

describe('pictures', () => {
  turns('media.storage', 'fail', () => writeFileSync(data('media'), ''));
});

describe('documents', () => {
  turns('store.document-font', 'warn', () => ({ APPCTL_DOCUMENTS_FONT_FILE: data('no-font.ttf') }));
  turns('store.document-font', 'warn', () => {
    writeFileSync(data('no-font.ttf'), 'not a font');
    return { APPCTL_DOCUMENTS_FONT_FILE: data('no-font.ttf') };
  });
});

// test/storefront/processors/checks.test.ts, order-checks.db.test.ts and risk.db.test.ts there hold what breaks these.
for (const id of ['payment-processor', 'processor-address', 'money', 'stock', 'holds', 'invoices', 'reports'])
  tested.add(`store.${id}`);
// test/fulfilment/license-checks.db.test.ts holds what breaks this one.
tested.add('store.licenses');
// And returns.db.test.ts the last.
for (const id of ['reviews', 'card-testing', 'returns']) tested.add(`store.${id}`);

describe('hooks', () => {
  /** A file in the hooks directory, as only this user may write it. */
  const hook = (text: string) => {
    mkdirSync(data('hooks'), { mode: 0o700 });
    writeFileSync(data('hooks/10-first.js'), text, { mode: 0o600 });
  };
  turns('hooks.files', 'fail', () => {
    hook('export function register() {}');
    chmodSync(data('hooks/10-first.js'), 0o622);
  });
  turns('hooks.loaded', 'fail', () => hook('export function register( {'));
  turns('hooks.loaded', 'warn', () => hook('export function register() {}'));
  turns('hooks.runs', 'warn', () =>
    breakDatabase(
      `INSERT INTO hook_runs (id, tenant_id, phase, point, file, subject, actor, state, attempts, last_error, created_at, ended_at)
       SELECT 'hkr_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'tnt_1', 'after', 'order.create', '10-first.js', 'ord_1',
         '{"kind":"system","id":null,"label":null}', 'failed', 6, 'no answer', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
         strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
    ),
  );
});
