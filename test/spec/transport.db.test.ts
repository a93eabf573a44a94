// What the specification says of transport: HTTPS with TLS 1.2 or higher in production.
import { rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { type SecureVersion, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCertificate } from '../support/certificate.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { startServer } from '../support/server-process.ts';
import { row } from './rows.ts';

let cwd: string;
let database: FreshDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  cwd = scratchFolder('appctl-transport-');
  database = await migratedDatabaseUrl();
  env = { APPCTL_DATABASE_URL: database.url, APPCTL_MODE: 'production', APPCTL_LISTEN: '0.0.0.0:0' };
});
afterAll(async () => {
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

/** Where OpenSSL's own defaults would allow old versions, the program alone refuses them. */
const LENIENT = '--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0';

/** Asks with exactly one version of TLS. @returns status, and the version that was agreed upon */
const askWith = (url: string, version: SecureVersion, ca: string) =>
  new Promise<[status: number | undefined, protocol: string | null]>((resolve, reject) => {
    const options = { ca, minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    get(url, { ...options, agent: false }, (response) => {
      const { socket, statusCode } = response;
      resolve([statusCode, socket instanceof TLSSocket ? socket.getProtocol() : null]);
      response.resume();
    }).on('error', reject);
  });

it(row('transport', 'HTTPS with TLS 1.2 or higher'), async () => {
  const { key, cert } = makeCertificate(['IP:127.0.0.1']);
  const files = [join(cwd, 'cert.pem'), join(cwd, 'key.pem')] as const;
  writeFileSync(files[0], cert);
  writeFileSync(files[1], key);
  const args = ['--tls-cert', files[0], '--tls-key', files[1]];
  const server = await startServer(args, { cwd, env: { ...env, NODE_OPTIONS: LENIENT } });
  try {
    expect(server.url).toMatch(/^https:/);
    const health = `${server.url.replace('0.0.0.0', '127.0.0.1')}/api/health`;
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
      expect(await askWith(health, version, cert)).toEqual([200, version]);
    for (const version of ['TLSv1', 'TLSv1.1'] as const)
      await expect(askWith(health, version, cert)).rejects.toThrow('tlsv1 alert protocol version');
    await expect(fetch(health.replace('https:', 'http:'))).rejects.toThrow('fetch failed');
  } finally {
    expect((await server.stop()).code).toBe(0);
  }
});

it(row('transport', 'plain HTTP beyond this machine is refused in production'), async () => {
  const refused = await runInside(['serve', '--json'], { cwd, env });
  const { message, hint } = errorOf(refused);
  expect([refused.code, message, hint]).toEqual([
    78,
    expect.stringContaining('other machines would reach 0.0.0.0:0 over plain HTTP'),
    expect.stringContaining('tls.cert'),
  ]);
});
