// `webhook listen`: a receiver on this machine, as a process of its own (cli.md 3.7).
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ListenLine } from '../../src/cli/webhook/schemas.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliRun, errorOf, program } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { openReceiver } from '../support/webhooks.ts';

const SECRET = 'a-secret-of-this-test';
let cwd: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  cwd = scratchFolder('appctl-listen-');
  writeFileSync(join(cwd, 'hook.secret'), `${SECRET}\n`);
});
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Line {
  event: string | null;
  valid: boolean | null;
  signature: string;
  answered: number;
  body: unknown;
  [field: string]: unknown;
}

/** Starts it with --json and waits until it tells its URL. */
async function listen(...args: string[]) {
  const child = spawn(process.execPath, [program, 'webhook', 'listen', '--json', ...args], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (texts.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (texts.stderr += text));
  const ended = once(child, 'close').then(([code, signal]): CliRun => ({ code, signal, ...texts }));
  while (!texts.stdout.includes('\n')) await Promise.race([once(child.stdout, 'data'), ended]);
  const lines = () =>
    texts.stdout
      .trimEnd()
      .split('\n')
      .map((line) => ListenLine.parse(JSON.parse(line)) as unknown as Line);
  return {
    url: String(lines()[0]?.url),
    /** Ends it, so that its output is whole, and tells what came in after the first line. */
    received: async () => {
      child.kill('SIGTERM');
      await ended;
      return lines().slice(1);
    },
    stderr: () => texts.stderr,
    stop: (signal: NodeJS.Signals) => {
      child.kill(signal);
      return ended;
    },
  };
}

const sign = (body: string, secret = SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
const told = (line: Line | undefined) => [line?.valid, line?.signature, line?.answered];

test.each(['SIGINT', 'SIGTERM'] as const)('it tells its URL first and ends with 0 on %s', async (signal) => {
  const receiver = await listen('--secret-file', 'hook.secret');
  expect(receiver.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  const run = await receiver.stop(signal);
  expect(run).toMatchObject({ code: 0, signal: null, stderr: '' });
});

test('signatures: right, by the old secret, wrong, missing, malformed; over the bytes as they came', async () => {
  const receiver = await listen('--secret-file', 'hook.secret');
  const body = '{"event":"LICENSE_CREATED",  "data":{"name":"Büro"}}';
  const headers = {
    'X-Webhook-Event': 'LICENSE_CREATED',
    'X-Webhook-Id': 'evt_1',
    'X-Webhook-Attempt': '2',
    'X-Webhook-Redelivery': 'true',
  };
  const tries: [Record<string, string>, number][] = [
    [{ ...headers, 'X-Webhook-Signature': sign(body) }, 200],
    [{ 'X-Webhook-Signature': sign(body, 'new'), 'X-Webhook-Signature-Previous': sign(body) }, 200],
    [{ 'X-Webhook-Signature': sign(body, 'another') }, 401],
    [{ 'X-Webhook-Signature': sign(`${body} `) }, 401],
    [{}, 401],
    [{ 'X-Webhook-Signature': sign(body).slice(7) }, 401],
    [{ 'X-Webhook-Signature': sign(body).toUpperCase() }, 401],
  ];
  for (const [sent, status] of tries) expect((await post(receiver.url, body, sent)).status).toBe(status);
  const lines = await receiver.received();
  expect(lines.map(told)).toEqual([
    [true, 'ok', 200],
    [true, 'ok, by the secret before the last rotation', 200],
    [false, 'wrong: a different secret, or the body was changed on the way', 401],
    [false, 'wrong: a different secret, or the body was changed on the way', 401],
    [false, 'missing', 401],
    [false, 'wrong: not of the form sha256=<64 hex digits>', 401],
    [false, 'wrong: not of the form sha256=<64 hex digits>', 401],
  ]);
  expect(lines[0]).toMatchObject({ event: 'LICENSE_CREATED', id: 'evt_1', attempt: 2, redelivery: true });
  expect(lines[0]?.body).toEqual(JSON.parse(body));
  expect(lines[4]).toMatchObject({ event: null, id: null, attempt: null, redelivery: false });
});

test('without a secret nothing is checked; a body that is no JSON is shown as text; others than POST are refused', async () => {
  const receiver = await listen();
  expect((await post(receiver.url, 'no json')).status).toBe(200);
  expect((await fetch(receiver.url)).status).toBe(405);
  expect((await post(receiver.url, 'x'.repeat(1_048_577))).status).toBe(413);
  expect(await receiver.received()).toMatchObject([
    { valid: null, signature: 'missing', answered: 200, body: 'no json' },
  ]);
});

test('--fail answers that to everything, and still tells of the signature', async () => {
  const receiver = await listen('--secret-file', 'hook.secret', '--fail', '503');
  expect((await post(receiver.url, '{}', { 'X-Webhook-Signature': sign('{}') })).status).toBe(503);
  expect((await post(receiver.url, '{}')).status).toBe(503);
  expect((await receiver.received()).map(told)).toEqual([
    [true, 'ok', 503],
    [false, 'missing', 503],
  ]);
});

test('--forward-to passes the bytes and headers on and answers as the other end does; 502 when it is away', async () => {
  const other = await openReceiver();
  other.otherwise = (res) => void res.writeHead(418, { 'Content-Type': 'text/plain' }).end('short and stout');
  const receiver = await listen('--secret-file', 'hook.secret', '--forward-to', other.url);
  const body = '{"a":  "ü"}';
  const answer = await post(receiver.url, body, {
    'X-Webhook-Signature': sign(body),
    'X-Webhook-Event': 'TEST',
  });
  expect([answer.status, await answer.text()]).toEqual([418, 'short and stout']);
  expect(other.received[0]?.body).toBe(body);
  const passed = Object.fromEntries(
    Object.entries(other.received[0]?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  expect(passed).toMatchObject({ 'x-webhook-event': 'TEST', 'x-webhook-signature': sign(body) });
  await other.close();
  expect((await post(receiver.url, body)).status).toBe(502);
  expect((await receiver.received()).map(({ answered }) => answered)).toEqual([418, 502]);
  expect(receiver.stderr()).toMatch(/^warning: no answer from http:\/\/127.* was passed on: /);
});

test('an answer without end is not kept in memory', async () => {
  const other = await openReceiver();
  other.otherwise = (res) =>
    void Readable.from(endless())
      .on('error', () => undefined)
      .pipe(res);
  const receiver = await listen('--forward-to', other.url);
  expect((await post(receiver.url, '{}')).status).toBe(502);
  expect(await receiver.received()).toMatchObject([{ answered: 502 }]);
  expect(receiver.stderr()).toMatch(/was passed on: its answer has more than 1048576 bytes/);
  await other.close();
});

function* endless() {
  for (;;) yield Buffer.alloc(65_536, 'a');
}

test('a body that is nested too deep to be written again is shown as text', async () => {
  const receiver = await listen();
  const body = '['.repeat(200_000) + ']'.repeat(200_000);
  expect((await post(receiver.url, body)).status).toBe(200);
  expect(await receiver.received()).toMatchObject([{ answered: 200, body }]);
});

test('for a person it says how a webhook reaches it', async () => {
  const child = spawn(process.execPath, [program, 'webhook', 'listen', '--secret-file', 'hook.secret'], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
  while (!/webhook create/.test(stderr)) await once(child.stderr, 'data');
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(stderr).toContain('Next: appctl settings set webhooks.allowed_private_cidrs 127.0.0.0/8');
  expect(stderr).toMatch(/--url http:\/\/127\.0\.0\.1:\d+\/ --secret-file hook\.secret/);
});

test.each([
  [['--port', '65536'], 2],
  [['--fail', '200'], 2],
  [['--fail', '503', '--forward-to', 'http://127.0.0.1:1/'], 2],
  [['--forward-to', 'nonsense'], 2],
  [['--forward-to', 'file:///etc/passwd'], 2],
  [['--forward-to', 'http://ada:pw@127.0.0.1:1/'], 2],
  [['--secret-file', 'nope'], 2],
  [['--secret-stdin'], 2],
  [['--plain'], 2],
])('webhook listen %j ends with %i', async (words, exit) => {
  const run = await runInside(['webhook', 'listen', ...words, '--json'], { cwd, input: '' });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: exit, stdout: '' });
});

test('a port that is taken ends it with 5 and the cure', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const run = await runInside(['webhook', 'listen', '--port', String(port), '--json'], { cwd });
  taken.close();
  expect(run.code).toBe(5);
  expect(errorOf(run).hint).toContain('--port 0');
});
