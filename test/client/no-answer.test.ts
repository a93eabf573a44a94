// What the developer reads when nobody answers as the license server does: real servers and a real network.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { type ClientOptions, createLicenseClient } from '../../src/client/index.ts';
import { machineId, rootPem } from './signer.ts';

const clientOf = (baseUrl: string, more: Partial<ClientOptions> = {}) =>
  createLicenseClient({
    ...{ baseUrl, product: 'editor', licenseKey: 'APP-AAAA-BBBB-CCCC', machine: { id: machineId } },
    ...{ rootKeys: [rootPem], retry: { attempts: 1 }, ...more },
  });

async function answering(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
}

const page: RequestListener = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<form>Sign in to this network</form>');
};

test.each<[string, RequestListener, string, RegExp]>([
  ['the sign-in page of a network', page, 'BAD_RESPONSE', /^a web page came instead of an answer/],
  [
    'a redirect to it',
    (_request, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:9/login' }).end(),
    'NETWORK',
    /cannot be reached \(its address leads to another one\)$/,
  ],
  [
    'a proxy whose server is away',
    (_request, response) => void response.writeHead(503).end('<h1>503</h1>'),
    'BAD_RESPONSE',
    /^the license server is out of order at the moment \(503\)$/,
  ],
  [
    'a line that is cut',
    (request) => void request.socket.destroy(),
    'NETWORK',
    /cannot be reached \([A-Z_]+\)$/,
  ],
  ['silence', () => undefined, 'TIMEOUT', /^no answer within 300 ms$/],
])('%s', async (_what, listener, code, message) => {
  const { server, url } = await answering(listener);
  try {
    const client = clientOf(url, { timeoutMs: 300 });
    await expect(client.activate()).rejects.toMatchObject({
      name: 'ClientError',
      code,
      message: expect.stringMatching(message),
    });
    expect(await client.access()).toMatchObject({ allowed: false, code: 'UNREACHABLE' });
    await client.close();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a name that nobody knows', async () => {
  const client = clientOf('http://no-such-host.invalid');
  await expect(client.activate()).rejects.toMatchObject({
    code: 'NETWORK',
    message: expect.stringMatching(/^the license server cannot be reached \(E[A-Z_]+\)$/),
  });
});
