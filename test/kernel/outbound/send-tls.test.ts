// https to an address that a user named: the certificate and the name are the URL's, whatever address is connected to.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Resolver } from '#kernel/outbound/lookup.ts';
import { sendToTarget } from '#kernel/outbound/send.ts';
import type { TargetRules } from '#kernel/outbound/types.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { hasOpenssl } from '../../support/openssl.ts';
import { targetRules } from '../../support/target-rules.ts';

const rules: TargetRules = targetRules({ allowHttp: false, openedRanges: ['127.0.0.0/8'] });
const toLoopback: Resolver = async () => [{ address: '127.0.0.1', family: 4 }];
const send = (url: string) =>
  sendToTarget(
    { url, method: 'POST', headers: {}, body: 'hello', timeoutMs: 5000, keepBytes: 100 },
    rules,
    toLoopback,
  );

describe.runIf(hasOpenssl)('over TLS', () => {
  let server: Server;
  let port: number;
  const before = getCACertificates('default');
  beforeAll(async () => {
    const certificate = makeCertificate(['DNS:hooks.example.com', 'IP:127.0.0.1']);
    server = createServer(certificate, (req, res) => {
      const { servername, alpnProtocol } = req.socket as TLSSocket;
      res.end(JSON.stringify({ sni: servername, alpn: alpnProtocol, host: req.headers.host }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    setDefaultCACertificates([...before, certificate.cert]);
  });
  afterAll(() => {
    setDefaultCACertificates(before);
    server.close();
  });

  test.each([
    ['hooks.example.com', 'hooks.example.com'],
    ['hooks.example.com.', 'hooks.example.com'],
    ['127.0.0.1', false],
  ])('%s is asked for by its name', async (host, sni) => {
    const outcome = await send(`https://${host}:${port}/`);
    expect(outcome).toMatchObject({ status: 200 });
    const seen = JSON.parse('excerpt' in outcome ? outcome.excerpt : '');
    expect(seen).toEqual({ sni, alpn: 'http/1.1', host: `${host}:${port}` });
  });

  test('a certificate of another name is refused', async () => {
    const outcome = await send(`https://other.example.com:${port}/`);
    expect(outcome).toMatchObject({ failure: 'network', error: expect.stringMatching(/ALTNAME_INVALID/) });
  });

  test('a certificate that nobody vouches for is refused', async () => {
    setDefaultCACertificates(before);
    const outcome = await send(`https://hooks.example.com:${port}/`);
    expect(outcome).toMatchObject({ failure: 'network', error: expect.stringMatching(/SELF_SIGNED/) });
  });

  test('http on the port of https is a failure of the network', async () => {
    const plain = createPlainServer((_req, res) => res.end()).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const outcome = await send(`https://hooks.example.com:${(plain.address() as AddressInfo).port}/`);
    expect(outcome).toMatchObject({ failure: 'network' });
    plain.close();
  });
});

test('variables that name a proxy change nothing', async () => {
  let used = 0;
  const proxy = createTcpServer((socket) => {
    used += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  const receiver = createPlainServer((_req, res) => res.end('direct')).listen(0, '127.0.0.1');
  await Promise.all([once(proxy, 'listening'), once(receiver, 'listening')]);
  const at = (server: typeof proxy) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const script = `
    import { sendToTarget } from '#kernel/outbound/send.ts';
    const url = ${JSON.stringify(at(receiver))};
    const rules = ${JSON.stringify(rules)};
    const outcome = await sendToTarget({ url, method: 'POST', headers: {}, body: '', timeoutMs: 5000, keepBytes: 9 }, rules);
    console.log(JSON.stringify(outcome));`;
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: at(proxy), http_proxy: at(proxy) };
  const words = ['--no-warnings', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  expect([JSON.parse(stdout), used]).toEqual([
    expect.objectContaining({ status: 200, excerpt: 'direct' }),
    0,
  ]);
  proxy.close();
  receiver.close();
});
