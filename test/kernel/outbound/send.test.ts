// One request to an address that a user named, and what is kept of the answer (reliability M7, M8, A127).

import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Resolver } from '#kernel/outbound/lookup.ts';
import { sendToTarget } from '#kernel/outbound/send.ts';
import type { TargetRequest, TargetRules } from '#kernel/outbound/types.ts';
import { closeReceivers, listen, receive, speak } from '../../support/odd-receivers.ts';
import { targetRules } from '../../support/target-rules.ts';

const rules: TargetRules = targetRules({ allowHttp: false, openedRanges: ['127.0.0.0/8'] });
const SHORT_MS = 150;
const KEEP = 2048;
afterEach(closeReceivers);

const send = (url: string, more: Partial<TargetRequest> = {}, resolver?: Resolver, own = rules) =>
  sendToTarget(
    { url, method: 'POST', headers: {}, body: '{"a":1}', timeoutMs: 5000, keepBytes: KEEP, ...more },
    own,
    resolver,
  );

describe('a request', () => {
  test('arrives whole, with the headers of the caller and those of this client', async () => {
    const url = await receive(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      const { method, url: path, rawHeaders } = req;
      res.writeHead(202, { 'X-Answer': 'yes' }).end(JSON.stringify({ method, path, rawHeaders, body }));
    });
    const headers = {
      'X-Webhook-Id': 'evt_1',
      host: 'evil',
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
    };
    const outcome = await send(url, { headers, body: 'grüße' });
    expect(outcome).toMatchObject({ status: 202, headers: { 'x-answer': 'yes' }, ms: expect.any(Number) });
    expect(JSON.parse('excerpt' in outcome ? outcome.excerpt : '')).toEqual({
      method: 'POST',
      path: '/hook?a=b',
      rawHeaders: [
        ...['Host', new URL(url).host, 'X-Webhook-Id', 'evt_1', 'Content-Length', '7'],
        ...['Accept-Encoding', 'identity', 'Connection', 'close'],
      ],
      body: 'grüße',
    });
  });

  test('without a body has no length when it is a GET', async () => {
    const url = await receive((req, res) => res.end(`${req.method} ${req.headers['content-length']}`));
    expect(await send(url, { method: 'GET', body: '' })).toMatchObject({ excerpt: 'GET undefined' });
    expect(await send(url, { body: '' })).toMatchObject({ excerpt: 'POST 0' });
  });

  test('goes to the judged address and keeps the name of the host', async () => {
    const url = new URL(await receive((req, res) => res.end(req.headers.host)));
    url.hostname = 'hooks.example.com';
    const answers: Resolver = async () => [{ address: '127.0.0.1', family: 4 }];
    expect(await send(url.href, {}, answers)).toMatchObject({ status: 200, excerpt: url.host });
  });

  test('with a header that cannot be sent fails and tells no value', async () => {
    const url = await receive((_req, res) => res.end());
    const outcome = await send(url, { headers: { 'X-Bad': 'se\ncret' } });
    expect(outcome).toMatchObject({ failure: 'network' });
    expect(JSON.stringify(outcome)).not.toContain('cret"');
  });
});

describe('the guard', () => {
  test.each([
    ['https://127.0.0.1/', /^blocked address: 127\.0\.0\.1 is an address of this machine/],
    ['https://[::ffff:10.0.0.1]/', /^blocked address: ::ffff:a00:1 is a private address/],
    ['https://user:pw@hooks.example.com/', /^blocked address: .*user name or a password/],
    ['http://hooks.example.com/', /^blocked address: http is not allowed/],
    ['https://hooks.example.com:6379/', /^blocked address: port 6379/],
    ['nonsense', /^blocked address: .*not an https URL/],
  ])('blocks %s', async (url, error) => {
    const outcome = await send(url, {}, undefined, targetRules({ allowHttp: false, openedRanges: [] }));
    expect(outcome).toEqual({
      ms: expect.any(Number),
      failure: 'blocked',
      error: expect.stringMatching(error),
    });
  });

  test('blocks a name with one bad answer, and makes no connection', async () => {
    let connections = 0;
    const server = createHttpServer((_req, res) => res.end()).on('connection', () => {
      connections += 1;
    });
    const url = new URL(await listen(server));
    url.hostname = 'hooks.example.com';
    const mixed: Resolver = async () => ['127.0.0.1', '::1'].map((address) => ({ address, family: 4 }));
    expect(await send(url.href, {}, mixed)).toMatchObject({
      failure: 'blocked',
      error: expect.stringContaining('::1'),
    });
    expect(connections).toBe(0);
  });

  test('asks anew at each request: a name that has moved is blocked', async () => {
    const url = new URL(await receive((_req, res) => res.end()));
    url.hostname = 'hooks.example.com';
    const answers = ['127.0.0.1', '10.0.0.1'];
    const moving: Resolver = async () => [{ address: answers.shift() ?? '', family: 4 }];
    expect(await send(url.href, {}, moving)).toMatchObject({ status: 200 });
    expect(await send(url.href, {}, moving)).toMatchObject({ failure: 'blocked' });
  });

  test('looks at the peer before the body leaves', async () => {
    const seen: string[] = [];
    const url = await listen(createServer((socket) => socket.on('data', (data) => seen.push(String(data)))));
    // The rules change between look-up and connection: nothing but the second check can see it.
    let looks = 0;
    const changing: TargetRules = {
      ...rules,
      allowHttp: true,
      get openedRanges() {
        looks += 1;
        return looks > 4 ? [] : ['127.0.0.0/8'];
      },
    };
    expect(await send(url, {}, undefined, changing)).toMatchObject({ failure: 'blocked' });
    expect([looks > 4, seen]).toEqual([true, []]);
  });

  test.each([301, 302, 303, 307, 308])('a redirect %i is an answer and is not followed', async (status) => {
    let followed = 0;
    const elsewhere = await receive((_req, res) => {
      followed += 1;
      res.end();
    });
    const url = await receive((_req, res) => res.writeHead(status, { Location: elsewhere }).end());
    expect(await send(url)).toMatchObject({ status, headers: { location: elsewhere } });
    expect(followed).toBe(0);
  });
});

describe('an answer', () => {
  test('is kept up to the wanted bytes, cut between characters, without NUL', async () => {
    const url = await receive((_req, res) => res.end(`a\0${'ü'.repeat(2000)}`));
    const outcome = await send(url, { keepBytes: 7 });
    expect(outcome).toMatchObject({ status: 200, excerpt: 'a\uFFFDüü' });
    expect(await send(url, { keepBytes: 0 })).toMatchObject({ status: 200, excerpt: '' });
  });

  test('that never ends is read for 64 KiB', async () => {
    const chunk = Buffer.alloc(16_384, 'x');
    const { url, gone } = await speak((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
    });
    expect(await send(url)).toMatchObject({ status: 200, excerpt: 'x'.repeat(KEEP) });
    await gone;
  });

  test('whose body trickles counts by its head, and ends with the deadline', async () => {
    const { url, gone } = await speak((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab'),
    );
    expect(await send(url, { timeoutMs: SHORT_MS })).toMatchObject({ status: 200, excerpt: 'ab' });
    await gone;
  });

  test('whose body breaks counts by its head', async () => {
    const { url } = await speak((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab', () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    });
    expect(await send(url)).toMatchObject({ status: 200 });
  });

  test('that is compressed stays so', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const url = await receive((_req, res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb));
    const outcome = await send(url);
    expect(outcome).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' } });
    expect('excerpt' in outcome && outcome.excerpt.length).toBeLessThanOrEqual(KEEP);
  });

  test('before the request is whole counts', async () => {
    const { url } = await speak((socket) =>
      socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'),
    );
    const outcome = await send(url, { body: Buffer.alloc(5_000_000) });
    // The receiver's last words may be lost when it closes at once.
    expect('status' in outcome ? outcome.status : outcome.failure).toSatisfy(
      (is) => is === 413 || is === 'network',
    );
  });

  test('with interim answers before it', async () => {
    const { url } = await speak((socket) => {
      socket.end(
        `HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`,
      );
    });
    expect(await send(url)).toMatchObject({ status: 204, excerpt: '' });
  });

  test('that switches protocols ends there', async () => {
    const { url, gone } = await speak((socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nabc',
      );
    });
    expect(await send(url)).toMatchObject({ status: 101, headers: { upgrade: 'websocket' } });
    await gone;
  });

  test('has at most 50 headers of at most 1,000 characters', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`x-${i}`, 'y'.repeat(i === 0 ? 3000 : 1)]),
    );
    const url = await receive((_req, res) => res.writeHead(200, many).end());
    const outcome = await send(url);
    const headers = 'headers' in outcome ? outcome.headers : {};
    expect([Object.keys(headers).length, headers['x-0']?.length]).toEqual([50, 1000]);
  });
});
