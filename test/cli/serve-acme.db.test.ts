// Certificates by themselves: a server asks a certificate authority, proves its name on its own sockets, and shows what
// it gets without a restart.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '#kernel/db/connect.ts';
import { type AcmeServer, startAcmeServer } from '../support/acme-server.ts';
import { runCli } from '../support/cli-process.ts';
import { freePort } from '../support/command-blocks.ts';
import { freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

const NAME = 'license.example.test';

let cwd: string;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
let authority: AcmeServer;
let servers: ServerProcess[];
beforeEach(async () => {
  cwd = scratchFolder('appctl-serve-acme-');
  database = await freshDatabaseUrl();
  authority = await startAcmeServer();
  Object.assign(authority.ports, { http: await freePort(), tls: await freePort() });
  servers = [];
});
afterEach(async () => {
  for (const server of servers) if (server.child.exitCode === null) await server.stop('SIGKILL');
  await authority.close();
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const variables = (more: Record<string, string> = {}): Record<string, string> => ({
  NODE_EXTRA_CA_CERTS: authority.rootFile,
  APPCTL_DATABASE_URL: database.url,
  APPCTL_BASE_URL: `https://${NAME}`,
  APPCTL_TLS_ACME: 'on',
  APPCTL_TLS_ACME_DIRECTORY: authority.directory,
  APPCTL_TLS_ACME_AGREE_TOS: '127.0.0.1',
  ...more,
});

async function start(more: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer(['--listen', `127.0.0.1:${authority.ports.tls}`], {
    cwd,
    env: variables(more),
  });
  servers.push(server);
  return server;
}

const redirecting = () => ({ APPCTL_TLS_REDIRECT_LISTEN: `127.0.0.1:${authority.ports.http}` });

/** What a client is shown. */
const shownAt = (port: number): Promise<PeerCertificate> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: NAME, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.on('error', reject);
  });

const isIssued = ({ issuer }: PeerCertificate): boolean => issuer.CN === 'receiver';
const issuedAt = (port = authority.ports.tls) =>
  eventually(async () => {
    const shown = await shownAt(port);
    return isIssued(shown) ? shown : null;
  });

async function json(line: string, more: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const run = await runCli([...line.split(' '), '--json'], { cwd, env: variables(more) });
  return JSON.parse(run.stdout || run.stderr.trim().split('\n').at(-1) || '{}');
}

async function change(sql: string): Promise<void> {
  const opened = await openDatabase(database.url, {
    poolSize: 1,
    busyTimeoutMs: 5000,
    create: false,
    onError() {},
  });
  try {
    await opened.transaction(async ({ knex }) => void (await knex.raw(sql)));
  } finally {
    await opened.close();
  }
}

const logOf = (server: ServerProcess) => server.stdout() + server.stderr();

describe('a server that has no certificate', () => {
  test.each([
    ['http-01', true],
    ['tls-alpn-01', false],
  ] as const)('gets one by %s', async (way, hasRedirect) => {
    await start(hasRedirect ? redirecting() : {});
    const shown = await issuedAt();
    expect(shown.subjectaltname).toBe(`DNS:${NAME}`);
    expect([authority.proofs, authority.counts]).toEqual([[way], { accounts: 1, orders: 1, issued: 1 }]);
    const file = join(cwd, 'data/acme', `${NAME}.pem`);
    expect([statSync(file).mode & 0o777, statSync(join(cwd, 'data/acme')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    const { certificate } = await json('status');
    expect(certificate).toMatchObject({ name: NAME, isPlaceholder: false, problem: null });
    const { checks } = (await json('doctor net.tls-expiry')) as { checks: object[] };
    expect(checks).toMatchObject([{ status: 'ok', message: expect.stringContaining('valid for 89 days') }]);
  });

  test('shows one of its own meanwhile, says what is wrong, and asks seldom', async () => {
    authority.refuses = {
      status: 429,
      type: 'rateLimited',
      detail: 'too many certificates for example.test',
    };
    const server = await start();
    await eventually(() => logOf(server).includes('no certificate was issued'));
    const shown = await shownAt(authority.ports.tls);
    expect([isIssued(shown), shown.subjectaltname]).toEqual([false, `DNS:${NAME}`]);
    const run = await json('jobs run renew-certificate --wait');
    expect(run).toMatchObject({ result: { waiting: 1 } });
    expect(authority.counts.orders).toBe(1);
    const { checks } = (await json('doctor net.tls-expiry')) as { checks: { message: string }[] };
    expect(checks).toMatchObject([{ status: 'fail' }]);
    expect(checks[0]?.message).toContain('too many certificates for example.test; next attempt at');
    expect((await json('status')).warnings).toContainEqual(
      expect.stringContaining(`certificate for ${NAME} yet`),
    );
    // Nor does a restart ask.
    await server.stop();
    const next = await start();
    await eventually(() => logOf(next).includes('listening'));
    await json('jobs run renew-certificate --wait');
    expect(authority.counts.orders).toBe(1);
  });

  test('takes the other way when one is closed', async () => {
    authority.ports.http = await freePort();
    await start({ APPCTL_TLS_REDIRECT_LISTEN: '127.0.0.1:0' });
    await eventually(() => authority.counts.orders === 1);
    await eventually(async () => {
      const { checks } = (await json('doctor net.tls-expiry')) as { checks: { message: string }[] };
      return checks[0]?.message.includes('ECONNREFUSED');
    });
    await change('UPDATE tls_certificates SET next_attempt_at = NULL');
    expect(await json('jobs run renew-certificate --wait')).toMatchObject({ result: { issued: 1 } });
    expect(authority.proofs).toEqual(['tls-alpn-01']);
  });
});

describe('a certificate', () => {
  test('is renewed when a third of its life is left, and shown without a restart', async () => {
    await start(redirecting());
    const first = await issuedAt();
    expect(await json('jobs run renew-certificate --wait')).toMatchObject({ result: {} });
    // Of ninety days.
    const endsIn = (days: number) => {
      const at = (day: number) => new Date(Date.now() + day * 86_400_000).toISOString();
      return change(`UPDATE tls_certificates SET begins_at = '${at(days - 90)}', ends_at = '${at(days)}'`);
    };
    await endsIn(31);
    await json('jobs run renew-certificate --wait');
    expect(authority.counts.issued).toBe(1);
    await endsIn(29);
    expect(await json('jobs run renew-certificate --wait')).toMatchObject({ result: { issued: 1 } });
    await eventually(async () => (await shownAt(authority.ports.tls)).serialNumber !== first.serialNumber);
    expect(authority.counts).toEqual({ accounts: 1, orders: 2, issued: 2 });
    // The account is that of the first order, and its key is no one else's business.
    const key = join(cwd, 'data/acme', `account-${new URL(authority.directory).host.replace(':', '-')}.key`);
    expect(statSync(key).mode & 0o777).toBe(0o600);
  });

  test('is in the data directory for the next start', async () => {
    const server = await start();
    const { serialNumber } = await issuedAt();
    await server.stop();
    await start();
    expect((await shownAt(authority.ports.tls)).serialNumber).toBe(serialNumber);
    expect(authority.counts.issued).toBe(1);
  });

  test('that was lost comes back from the database', async () => {
    const server = await start();
    const { serialNumber } = await issuedAt();
    await server.stop();
    rmSync(join(cwd, 'data/acme'), { recursive: true });
    await start();
    await eventually(async () => (await shownAt(authority.ports.tls)).serialNumber === serialNumber);
    expect([authority.counts.issued, readFileSync(join(cwd, 'data/acme', `${NAME}.pem`), 'utf8')]).toEqual([
      1,
      expect.stringContaining('PRIVATE KEY'),
    ]);
  });
});

describe('several servers', () => {
  test('of one database order once', async () => {
    if (database.url.startsWith('sqlite:')) {
      // A SQLite file has one server.
      await start();
      await issuedAt();
      expect(authority.counts.issued).toBe(1);
      return;
    }
    await start();
    const key = { APPCTL_MASTER_KEY: readFileSync(join(cwd, 'data/master.key'), 'utf8').trim() };
    const port = await freePort();
    const second = await startServer(['--listen', `127.0.0.1:${port}`], {
      cwd,
      env: variables({ APPCTL_DATA_DIR: join(cwd, 'second'), ...key }),
    });
    servers.push(second);
    const [one, other] = [await issuedAt(), await issuedAt(port)];
    expect([other.serialNumber, authority.counts]).toEqual([
      one.serialNumber,
      { accounts: 1, orders: 1, issued: 1 },
    ]);
  });

  test('with different authorities do not order in turn, and doctor names them', async () => {
    const other = await startAcmeServer();
    try {
      Object.assign(other.ports, authority.ports);
      const roots = join(cwd, 'roots.pem');
      writeFileSync(
        roots,
        [authority, other].map(({ rootFile }) => readFileSync(rootFile, 'utf8')).join('\n'),
      );
      const elsewhere = { APPCTL_TLS_ACME_DIRECTORY: other.directory, NODE_EXTRA_CA_CERTS: roots };
      const first = await start();
      await issuedAt();
      const judged = async () =>
        ((await json('doctor net.acme-directory')) as { checks: { status: string; message: string }[] })
          .checks;
      const isShared = !database.url.startsWith('sqlite:');
      if (isShared) {
        const key = { APPCTL_MASTER_KEY: readFileSync(join(cwd, 'data/master.key'), 'utf8').trim() };
        const second = { APPCTL_DATA_DIR: join(cwd, 'second'), ...key, ...elsewhere };
        const server = await startServer(['--listen', `127.0.0.1:${await freePort()}`], {
          cwd,
          env: variables(second),
        });
        servers.push(server);
        for (let i = 0; i < 3; i++) {
          await json('jobs run renew-certificate --wait');
          expect(await json('jobs run renew-certificate --wait', second)).toMatchObject({
            result: { waiting: 1 },
          });
        }
        expect([authority.counts.orders, other.counts.orders]).toEqual([1, 0]);
        expect(logOf(server).match(/other servers of this database order from/g)).toHaveLength(1);
        const [found] = await judged();
        expect([found?.status, found?.message]).toEqual([
          'warn',
          expect.stringContaining(`${join(cwd, 'second')} uses ${other.directory}`),
        ]);
      }
      // The other one is right, and this one is brought to it.
      await first.stop();
      await start(elsewhere);
      await eventually(() => other.counts.issued === 1);
      expect([authority.counts.orders, other.counts.orders]).toEqual([1, 1]);
      expect((await judged())[0]?.status).toBe(isShared ? 'ok' : 'skip');
    } finally {
      await other.close();
    }
  });
});
