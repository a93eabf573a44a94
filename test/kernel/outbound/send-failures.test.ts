// What comes of a request when the receiver breaks the rules: a failure, and nothing left open (reliability A127).

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { failureOf } from '#kernel/outbound/failures.ts';
import type { Resolver } from '#kernel/outbound/lookup.ts';
import { sendToTarget } from '#kernel/outbound/send.ts';
import type { TargetRequest, TargetRules } from '#kernel/outbound/types.ts';
import { closeReceivers, listen, speak } from '../../support/odd-receivers.ts';
import { targetRules } from '../../support/target-rules.ts';

const rules: TargetRules = targetRules({ allowHttp: false, openedRanges: ['127.0.0.0/8'] });
const SHORT_MS = 150;
afterEach(closeReceivers);

const send = (url: string, more: Partial<TargetRequest> = {}, resolver?: Resolver) =>
  sendToTarget(
    { url, method: 'POST', headers: {}, body: '{"a":1}', timeoutMs: 5000, keepBytes: 100, ...more },
    rules,
    resolver,
  );

test.each<[name: string, speaks: (socket: Socket) => void, error: RegExp]>([
  [
    '100 kB of headers',
    (s) => s.write(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`),
    /longer than 16 KiB/,
  ],
  ['HTTP/0.9', (s) => s.end('<html>hello</html>'), /not valid HTTP \(HPE_/],
  ['another protocol', (s) => s.write('220 mail.example.com ESMTP\r\n'), /not valid HTTP \(HPE_/],
  [
    'bad chunks in the head',
    (s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'),
    /not valid HTTP/,
  ],
  ['a reset', (s) => s.resetAndDestroy(), /closed the connection without an answer/],
  ['an end without a word', (s) => s.end(), /closed the connection without an answer/],
  ['half a head', (s) => s.end('HTTP/1.1 200 OK\r\nX-A'), /closed the connection|not valid HTTP/],
  ['interim answers without end', (s) => s.write('HTTP/1.1 102 Wait\r\n\r\n'.repeat(20)), /interim answers/],
])('%s', async (_name, speaks, error) => {
  const { url, gone } = await speak(speaks);
  expect(await send(url)).toMatchObject({ failure: 'network', error: expect.stringMatching(error) });
  await gone;
});

test.each<[name: string, speaks: (socket: Socket) => void]>([
  ['silence', () => undefined],
  ['one byte at a time', (s) => s.write('H')],
  ['a head that does not end', (s) => s.write('HTTP/1.1 200 OK\r\n')],
  ['an interim answer and silence', (s) => s.write('HTTP/1.1 100 Continue\r\n\r\n')],
])('%s ends with the deadline', async (_name, speaks) => {
  const { url, gone } = await speak(speaks);
  const outcome = await send(url, { timeoutMs: SHORT_MS });
  expect(outcome).toMatchObject({ failure: 'timeout', error: 'no answer within 0.15 s' });
  expect(outcome.ms).toBeGreaterThanOrEqual(SHORT_MS - 5);
  await gone;
});

test('nobody listens', async () => {
  const server = createServer();
  const url = await listen(server);
  server.close();
  await once(server, 'close');
  expect(await send(url)).toMatchObject({ failure: 'network', error: 'connection refused (ECONNREFUSED)' });
});

test('a look-up that hangs ends with the deadline', async () => {
  const hanging: Resolver = (_host, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const outcome = await send('https://hooks.example.com/', { timeoutMs: SHORT_MS }, hanging);
  expect(outcome).toMatchObject({ failure: 'timeout' });
});

test('a name without an address', async () => {
  const outcome = await send('https://nobody.invalid/');
  expect(outcome).toMatchObject({
    failure: 'network',
    error: expect.stringMatching(/^nobody\.invalid could not/),
  });
});

test.each([
  ["is not cert's CN: \u001b[31m\u009bx\u0000y\r\nz", "is not cert's CN: [31m x y z (ERR_X)"],
  ['\u0000', 'ERR_X'],
])('the words of a stranger reach neither a terminal nor a database as they are: %j', (message, error) => {
  expect(failureOf(Object.assign(new Error(message), { code: 'ERR_X' }))).toEqual({
    failure: 'network',
    error,
  });
});
