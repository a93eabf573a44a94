// A certificate that changes is shown by the running server, nobody is cut off, and a broken one changes nothing.
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { Agent, request as requestTls } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeholderFor } from '#platform/certificates/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { runInside } from '../support/cli-inside.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

let cwd: string;
let server: ServerProcess;
let agent: Agent;
beforeEach(() => {
  cwd = scratchFolder('appctl-serve-tls-');
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  put('one.test');
});
afterEach(async () => {
  agent.destroy();
  if (server.child.exitCode === null) await server.stop('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

const path = (name: string) => join(cwd, name);

/** Replaces a file as tools that renew certificates do. */
function write(name: string, text: string): void {
  writeFileSync(path(`${name}.new`), text);
  renameSync(path(`${name}.new`), path(name));
}

function put(name: string): void {
  const { cert, key } = makeCertificate([`DNS:${name}`]);
  write('cert.pem', cert);
  write('key.pem', key);
}

const env = () => ({
  APPCTL_TLS_CERT: path('cert.pem'),
  APPCTL_TLS_KEY: path('key.pem'),
  APPCTL_BASE_URL: 'https://one.test',
});

async function start(more: Record<string, string> = {}): Promise<number> {
  server = await startServer([], { cwd, env: { ...env(), ...more } });
  return Number(new URL(server.url).port);
}

/** The name that a new connection is shown. */
const shown = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
const isShown = (port: number, name: string) => eventually(async () => (await shown(port)) === `DNS:${name}`);

/** Asks on the one connection of the agent. @returns status, and the port that it came from */
async function ask(port: number): Promise<{ status: number | undefined; from: number | undefined }> {
  const call = requestTls({ host: '127.0.0.1', port, path: '/api/health', agent, rejectUnauthorized: false });
  const [res] = await once(call.end(), 'response');
  res.resume();
  await once(res, 'end');
  return { status: res.statusCode, from: call.socket?.localPort };
}

const logOf = () => server.stdout() + server.stderr();
const json = async (words: string[]) =>
  JSON.parse((await runInside([...words, '--json'], { cwd, env: env() })).stdout);
const finding = async () => (await json(['doctor', 'net.tls-expiry'])).checks[0];

describe('files that change under a running server', () => {
  test('are shown to new connections, and an open one goes on', async () => {
    const port = await start();
    const first = await ask(port);
    put('two.test');
    await isShown(port, 'two.test');
    expect(await ask(port)).toEqual(first);
    expect((await json(['status'])).certificate).toMatchObject({ name: 'two.test', problem: null });
  });

  test('are read at once on SIGHUP', async () => {
    const port = await start();
    put('two.test');
    server.child.kill('SIGHUP');
    await isShown(port, 'two.test');
    expect(await eventually(() => logOf().includes('the certificate was reloaded'))).toBe(true);
  });

  test.each([
    ['of which one is broken', () => write('cert.pem', 'no certificate')],
    ['that do not belong together', () => write('key.pem', makeCertificate(['DNS:other.test']).key)],
    ['of which one is gone', () => rmSync(path('key.pem'))],
    [
      'whose certificate has expired',
      async () => {
        const { cert, key } = await placeholderFor('old.test');
        write('cert.pem', cert);
        write('key.pem', key);
      },
    ],
  ])('%s: the server goes on with the pair before, and says so', async (_what, spoil) => {
    const port = await start();
    await spoil();
    await eventually(() => logOf().includes('the changed certificate cannot be used'));
    expect(await shown(port)).toBe('DNS:one.test');
    const { certificate, warnings } = await json(['status']);
    expect(certificate).toMatchObject({ name: 'one.test', problem: expect.any(String) });
    expect(warnings).toContainEqual(expect.stringContaining('the changed certificate is not used'));
    expect(await finding()).toMatchObject({ status: 'fail', hint: expect.any(String) });
    // What is right again is shown again.
    put('three.test');
    await isShown(port, 'three.test');
    expect((await json(['status'])).certificate.problem).toBe(null);
  });
});

describe('an address that redirects', () => {
  const redirecting = { APPCTL_TLS_REDIRECT_LISTEN: '127.0.0.1:0' };

  /** Sends a request over plain HTTP. */
  async function plain(method: string, target: string) {
    const [, address] = /"redirects":\["http:\/\/([^"]+)"\]/.exec(logOf()) ?? [];
    const [host, port] = (address ?? '').split(':');
    const call = request({ host, port, method, path: target });
    const [res] = await once(call.end(), 'response');
    let text = '';
    for await (const chunk of res) text += chunk;
    return { status: res.statusCode, location: res.headers.location, text };
  }

  test('leads pages to https, answers challenges, and refuses everything else', async () => {
    await start(redirecting);
    await eventually(() => logOf().includes('redirects'));
    const cases: [method: string, target: string, status: number, location?: string][] = [
      ['GET', '/help?q=a%20b', 301, 'https://one.test/help?q=a%20b'],
      ['HEAD', '/', 301, 'https://one.test/'],
      ['GET', '//evil.test/x', 301, 'https://one.test//evil.test/x'],
      ['GET', 'http://evil.test/x', 301, 'https://one.test/x'],
      ['GET', '/.well-known/acme-challenge/abc', 404],
      ['GET', '/.well-known/acme-challenge/../x', 301, 'https://one.test/.well-known/acme-challenge/../x'],
      ['POST', '/api/v1/license/validate', 403],
    ];
    for (const [method, target, status, location] of cases) {
      const answer = await plain(method, target);
      expect([target, answer.status, answer.location]).toEqual([target, status, location]);
      if (method === 'POST') expect(JSON.parse(answer.text).error.message).toContain('https://one.test');
    }
  });

  test('nobody else may have its port', async () => {
    await start(redirecting);
    await eventually(() => logOf().includes('redirects'));
    const [, port] = /"redirects":\["http:\/\/127\.0\.0\.1:(\d+)"\]/.exec(logOf()) ?? [];
    const second = startServer([], {
      cwd,
      env: { ...env(), APPCTL_DATA_DIR: path('second'), APPCTL_TLS_REDIRECT_LISTEN: `127.0.0.1:${port}` },
    });
    await expect(second).rejects.toThrow(`127.0.0.1:${port} is in use`);
    expect(readFileSync(path('data/run/server.json'), 'utf8')).toContain(server.url);
  });
});
