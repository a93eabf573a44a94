// A session at a desk: the server is another machine, reached by TLS under a certificate of a private authority.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../support/certificate.ts';
import { runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

/** Not the address that a command takes for its own machine. */
const ELSEWHERE = '127.0.0.2';

let office: Installation;
let server: ServerProcess;
let desk: string;
let url: string;
beforeAll(async () => {
  office = await prepareInstallation();
  desk = scratchFolder('appctl-desk-');
  const { key, cert } = makeCertificate([`IP:${ELSEWHERE}`]);
  writeFileSync(join(office.cwd, 'key.pem'), key, { mode: 0o600 });
  writeFileSync(join(office.cwd, 'cert.pem'), cert);
  writeFileSync(join(desk, 'ca.pem'), cert);
  writeFileSync(join(office.cwd, 'password'), 'five grey geese over Oslo');
  writeFileSync(join(desk, 'password'), 'five grey geese over Oslo');
  const account = ['admin', 'user', 'create', '--email', 'ann@example.com', '--role', 'licensing'];
  await office.answer([...account, '--password-file', 'password']);
  await office.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  const env = { APPCTL_DATA_DIR: join(office.cwd, 'data') };
  const words = ['--listen', `${ELSEWHERE}:0`, '--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
  server = await startServer(words, { cwd: office.cwd, env });
  url = server.url;
}, 60_000);
afterAll(async () => {
  await server?.stop();
  office.remove();
  rmSync(desk, { recursive: true, force: true });
});

const at = (line: string, env: Record<string, string> = {}) => runCli(line.split(' '), { cwd: desk, env });
const login = (more = '') =>
  at(`login ${url} --profile office --email ann@example.com --password-file password${more}`);

test('who signed in works on the server, by TLS, until the login ends', async () => {
  const unknown = await login();
  expect([unknown.code, unknown.stderr]).toEqual([9, expect.stringMatching(/certificate/)]);
  const signedIn = await login(' --ca-file ca.pem');
  expect([signedIn.code, signedIn.stdout]).toEqual([0, expect.stringContaining('ann@example.com')]);
  const who = await at('whoami --profile office');
  expect([who.code, who.stdout]).toEqual([0, expect.stringContaining('licensing')]);
  const hook = 'webhook create --service license --url https://203.0.114.7/hook --profile office --json';
  const made = await at(`${hook} --dry-run`);
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining(`server: ${url} (profile office)`)]);
  const draft = await at('release create --product editor --version 1.0.0 --json', {
    APPCTL_PROFILE: 'office',
  });
  expect(JSON.parse(draft.stdout)).toMatchObject({ product: 'editor', state: 'DRAFT' });
  const listed = await office.answer<{ items: { id: string }[] }>(['release', 'list']);
  expect(listed.items.map(({ id }) => id)).toEqual([JSON.parse(draft.stdout).id]);
  expect((await at('logout')).code).toBe(0);
  expect((await at('release list --profile office')).code).toBe(2);
});
