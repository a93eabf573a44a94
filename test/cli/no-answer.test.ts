// What a desk says when no answer comes: a certificate, a proxy, a wrong scheme, and which login opens a server.
import { rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../support/certificate.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const EXPIRES = '2027-01-01T00:00:00.000Z';

let folder: string;
let secure: Server;
let proxy: Server;
let tunnelled: string[] = [];
const at = (server: Server) => `https://localhost:${(server.address() as AddressInfo).port}`;
const listening = (server: Server) =>
  new Promise<Server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));

beforeAll(async () => {
  folder = scratchFolder('appctl-no-answer-');
  const { cert, key } = makeCertificate(['DNS:localhost']);
  writeFileSync(join(folder, 'ca.pem'), cert);
  writeFileSync(join(folder, 'admin.token'), 'adm_one', { mode: 0o600 });
  writeFileSync(join(folder, 'password'), 'secret');
  const token = { success: true, token: 'adm_two', expiresAt: EXPIRES, user: { email: 'ann@x.test' } };
  secure = await listening(
    createHttps({ cert, key }, (req, res) => {
      req.resume();
      if (req.url?.endsWith('/auth/token')) res.writeHead(201).end(JSON.stringify(token));
      else res.writeHead(401).end(JSON.stringify({ error: { code: 'UNAUTHORIZED', message: 'expired' } }));
    }),
  );
  const tunnels = createHttp();
  tunnels.on('connect', (req, socket) => {
    tunnelled.push(String(req.url));
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  proxy = await listening(tunnels);
});
afterAll(() => {
  secure.close();
  proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string, env: Record<string, string> = {}) =>
  runInside(`${line} --json`.split(' '), {
    cwd: folder,
    env: { APPCTL_DATA_DIR: join(folder, 'none'), XDG_CONFIG_HOME: join(folder, 'config'), ...env },
  });
async function failure(line: string, env?: Record<string, string>) {
  const done = await run(line, env);
  return { exit: done.code, ...errorOf(done) };
}
const listAt = (server: string, env?: Record<string, string>) =>
  failure(`product list --server ${server} --api-key-file admin.token`, env);

test('a certificate of an authority that is not trusted names the two ways to trust it', async () => {
  expect(await listAt(at(secure))).toMatchObject({
    exit: 9,
    message: `the certificate of ${at(secure)} is not signed by an authority that this machine trusts`,
    hint: `sign in with appctl login ${at(secure)} --ca-file ca.pem, or with a token set NODE_EXTRA_CA_CERTS=ca.pem`,
  });
  const plain = at(secure).replace('https', 'http');
  expect(await listAt(plain)).toMatchObject({ exit: 9, hint: `use ${at(secure)} if that server has TLS` });
});

test('who signs in again goes on to trust the authority, and several logins of one server are not guessed from', async () => {
  const logIn = (more: string) => `login ${at(secure)} --email ann@x.test --password-file password ${more}`;
  expect((await run(logIn('--profile main --ca-file ca.pem'))).code).toBe(0);
  expect((await run(logIn('--profile main'))).code).toBe(0);
  // Nothing is installed here.
  expect(await failure('product list')).toMatchObject({
    exit: 78,
    hint: expect.stringContaining('add --profile main;'),
  });
  expect(await failure(logIn('--profile other'))).toMatchObject({ exit: 9 });
  expect(await failure(`product list --server ${at(secure)}`)).toMatchObject({
    exit: 4,
    hint: `appctl login ${at(secure)} --profile main`,
  });
  expect((await run(logIn('--profile other --ca-file ca.pem'))).code).toBe(0);
  expect(await failure(`product list --server ${at(secure)}`)).toMatchObject({
    exit: 2,
    message: `there are several saved logins to ${at(secure)}: main, other`,
    hint: 'choose one instead of --server: --profile main',
  });
});

test('a proxy that refuses is named, without its password, also when its address has no scheme', async () => {
  const server = 'https://licenses.example.com';
  const { port } = proxy.address() as AddressInfo;
  for (const address of [`me:hidden@127.0.0.1:${port}`, `http://me:hidden@127.0.0.1:${port}`]) {
    tunnelled = [];
    expect(await listAt(server, { HTTPS_PROXY: address })).toMatchObject({
      exit: 9,
      message: `the proxy 127.0.0.1:${port} did not connect to licenses.example.com: 407 Proxy Authentication Required`,
      hint: 'check HTTPS_PROXY, or bypass the proxy with NO_PROXY=licenses.example.com',
    });
    expect(tunnelled).toEqual(['licenses.example.com:443']);
  }
  // Nobody listens on port 1.
  expect(await listAt(server, { https_proxy: 'http://127.0.0.1:1' })).toMatchObject({
    exit: 9,
    message: 'the proxy 127.0.0.1:1 refused the connection',
    hint: expect.stringContaining('check https_proxy'),
  });
});
