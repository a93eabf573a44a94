// Commands about what was sent: test, deliveries, replay, and what doctor says of webhooks (cli.md 3.7, 7).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { errorOf } from '../support/cli-process.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver, webhookWorker } from '../support/webhooks.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
let receiver: Receiver;
let id: string;
beforeAll(async () => {
  it = await prepareInstallation();
  receiver = await openReceiver();
  const [[key, value]] = Object.entries(LOOPBACK_PINS) as [[string, string]];
  expect((await it.inside(['settings', 'set', key, value])).code).toBe(0);
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  id = (await it.answer<{ id: string }>([...create, receiver.url, '--event', 'LICENSE_CREATED'])).id;
});
afterAll(async () => {
  await receiver.close();
  it.remove();
});

const create = ['webhook', 'create', '--service', 'license', '--url'];

interface Delivery {
  id: string;
  event: string;
  state: string;
  isTest: boolean;
  run: number;
  replayOf: string | null;
  requestBody: string;
  requestHeaders: Record<string, string> | null;
  attempts: { run: number; n: number; httpStatus: number | null; error: string | null; ms: number }[];
}
type Page = { items: Delivery[]; pagination: { total: number } };

async function within<T>(work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const instance = await it.open();
  try {
    return await work(instance.ctx);
  } finally {
    await instance.close();
  }
}

const send = () => within((ctx) => webhookWorker(ctx).idle());
const mint = () => it.answer(['license', 'mint', '--product', 'editor', '--email', 'ann@x.test']);
const list = (...more: string[]) => it.answer<Page>(['webhook', 'deliveries', id, ...more]);

async function failure(...args: string[]) {
  const run = await it.inside([...args, '--json']);
  return { exit: run.code, stdout: run.stdout, ...errorOf(run) };
}

describe('webhook test', () => {
  test('is signed, marked, and answers with the delivery', async () => {
    receiver.received.length = 0;
    const delivery = await it.answer<Delivery>(['webhook', 'test', id, '--note', 'hello']);
    expect(delivery).toMatchObject({
      event: 'WEBHOOK_TEST',
      state: 'DELIVERED',
      isTest: true,
      replayOf: null,
    });
    expect(delivery.attempts).toMatchObject([{ n: 1, httpStatus: 200, error: null }]);
    expect(delivery.requestHeaders?.['X-Webhook-Signature']).toBe('[redacted]');
    expect(receiver.received.map(({ body }) => body)).toEqual([delivery.requestBody]);
    expect(JSON.parse(delivery.requestBody)).toMatchObject({
      test: true,
      data: { details: { note: 'hello' } },
    });
  });

  test('ends with 9 when the receiver does not answer 2xx, and says what it answered', async () => {
    receiver.answers = [503, 404];
    const failed = await it.answer<Delivery>(['webhook', 'test', id], { code: 9 });
    expect(failed).toMatchObject({ state: 'FAILED', attempts: [{ httpStatus: 503 }] });
    const told = await it.inside(['webhook', 'test', id]);
    expect(told.code).toBe(9);
    expect(told.stderr).toContain('the receiver answered 404');
    const { id: gone } = await it.answer<{ id: string }>([...create, 'http://127.0.0.1:1025/']);
    const refused = await it.inside(['webhook', 'test', gone]);
    expect(refused).toMatchObject({ code: 9 });
    expect(refused.stdout).toMatch(/^attempt 1 +.*refused/m);
    await it.answer(['webhook', 'delete', gone, '--yes']);
  });

  test('--override puts values in, --print sends nothing', async () => {
    receiver.received.length = 0;
    const words = [
      '--event',
      'LICENSE_REVOKED',
      '--override',
      'data.status=EXPIRED',
      '--override',
      'data.machineIds=["x"]',
    ];
    const request = await it.answer<{ method: string; headers: Record<string, string>; body: string }>([
      'webhook',
      'test',
      id,
      ...words,
      '--print',
    ]);
    expect(JSON.parse(request.body)).toMatchObject({ data: { status: 'EXPIRED', machineIds: ['x'] } });
    expect(request.headers['X-Webhook-Signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(receiver.received).toEqual([]);
    const plan = await it.answer(['webhook', 'test', id, '--dry-run']);
    expect(plan).toMatchObject({ method: 'POST', dryRun: true });
    expect(receiver.received).toEqual([]);
    const text = await it.inside(['webhook', 'test', id, ...words, '--print']);
    expect(text.stdout).toMatch(/^POST http:\/\/127[\s\S]*X-Webhook-Timestamp +\d{4}-\d\d-\d\dT/);
  });

  test('no control character of an answer reaches the terminal, in either form', async () => {
    const hostile = 'a\u001b[31m\u009b31m\u007fz';
    const words = ['webhook', 'test', id];
    receiver.answers = Array.from({ length: 2 }, () => (res) => void res.end(hostile));
    const [text, json] = [await it.inside(words), await it.inside([...words, '--json'])];
    const print = await it.inside([...words, '--override', 'data.details.note=\u009b', '--print']);
    for (const { code, stdout } of [text, json, print]) {
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
    }
    expect((JSON.parse(json.stdout) as Delivery).attempts).toMatchObject([{ responseSnippet: hostile }]);
  });

  test.each([
    [['whk_nope'], 3],
    [['--event', 'NOPE'], 2],
    [['--override', 'data.nope=1'], 2],
    [['--override', 'nothing'], 2],
    [['--override', '=1'], 2],
  ])('%j ends with %i', async (words, exit) => {
    const line = words[0]?.startsWith('-') ? [id, ...words] : words;
    expect(await failure('webhook', 'test', ...line)).toMatchObject({ exit, stdout: '' });
  });
});

describe('deliveries and replay', () => {
  test('a mint is delivered, shown, filtered, and sent again with the same bytes', async () => {
    receiver.received.length = 0;
    receiver.answers = [400];
    await mint();
    const [pending] = (await list('--state', 'PENDING')).items as [Delivery];
    expect(pending).toMatchObject({ event: 'LICENSE_CREATED', attempts: [], requestHeaders: null });
    const early = await it.answer(['webhook', 'replay', pending.id], { code: 7 });
    expect(early).toMatchObject({ results: [{ success: false, error: { code: 'CONFLICT' } }] });
    await send();
    const [failed] = (await list('--state', 'FAILED', '--event', 'LICENSE_CREATED', '--since', '1h'))
      .items as [Delivery];
    expect(failed).toMatchObject({ id: pending.id, attempts: [{ httpStatus: 400 }], replayOf: null });
    expect(await it.answer<Delivery>(['webhook', 'deliveries', 'show', failed.id])).toEqual(failed);
    const batch = await it.answer(['webhook', 'replay', failed.id]);
    expect(batch).toMatchObject({
      results: [{ index: 0, success: true, id: failed.id, webhookId: id, event: 'LICENSE_CREATED', run: 1 }],
      summary: { total: 1, succeeded: 1, failed: 0 },
    });
    await send();
    expect(receiver.received.map(({ body }) => body)).toEqual([failed.requestBody, failed.requestBody]);
    const again = await it.answer<Delivery>(['webhook', 'deliveries', 'show', failed.id]);
    expect(again).toMatchObject({ state: 'DELIVERED', run: 1, replayOf: failed.id });
    const human = await it.inside(['webhook', 'deliveries', 'show', failed.id]);
    expect(human.stdout).toMatch(/attempt 1 +400 in \d+ ms[\s\S]*attempt 1, sent again \(1\) +200 in \d+ ms/);
    expect((await it.inside(['webhook', 'deliveries', id])).stdout).toMatch(
      /DELIVERED +1: 200 in \d+ ms \(sent again\)/,
    );
  });

  test('several need --yes; what is refused is explained, and the others are sent', async () => {
    await mint();
    await mint();
    await send();
    const [a, b] = (await list('--event', 'LICENSE_CREATED', '--limit', '2')).items as [Delivery, Delivery];
    expect(await failure('webhook', 'replay', a.id, b.id)).toMatchObject({ exit: 10 });
    const run = await it.inside(['webhook', 'replay', a.id, 'dlv_nope', b.id, a.id, '--yes']);
    expect(run.code).toBe(7);
    expect(run.stderr).toMatch(/dlv_nope: delivery dlv_nope was not found[\s\S]*2 of 3 succeeded/);
    await send();
  });

  test('a range: counted first, asked about, queued', async () => {
    receiver.otherwise = 400;
    await mint();
    await mint();
    await send();
    receiver.otherwise = 200;
    const words = ['webhook', 'replay', '--webhook', id, '--failed', '--since', '24h'];
    expect(await failure(...words)).toMatchObject({
      exit: 10,
      message: expect.stringContaining('2 deliveries'),
    });
    const plan = await it.answer([...words, '--dry-run']);
    expect(plan).toMatchObject({
      results: [],
      summary: { total: 2, succeeded: 2, failed: 0 },
      left: 0,
      dryRun: true,
    });
    const part = await it.answer([...words, '--limit', '1']);
    expect(part).toMatchObject({ summary: { succeeded: 1 }, webhookId: id, pending: 0, left: 1 });
    expect(await failure(...words, '--event', 'WEBHOOK_TEST')).toMatchObject({
      exit: 2,
      message: '--event WEBHOOK_TEST is not an event',
    });
    const rest = await it.inside([...words, '--yes']);
    expect(rest.stdout).toBe('1 will be sent again\n');
    expect(rest.stderr).toContain('1 delivery already in progress and skipped');
    await send();
    expect((await list('--state', 'FAILED', '--event', 'LICENSE_CREATED')).items).toEqual([]);
  });

  test.each([
    [['replay'], 2],
    [['replay', 'dlv_nope', '--webhook', 'whk_nope'], 2],
    [['replay', 'dlv_nope', '--failed'], 2],
    [['replay', 'dlv_nope', '--since', '1h'], 2],
    [['replay', 'dlv_nope'], 7],
    [['replay', '--webhook', 'whk_nope', '--failed'], 3],
    [['replay', '--webhook', 'whk_nope', '--failed', '--state', 'FAILED'], 2],
    [['replay', '--webhook', 'whk_nope', '--limit', '0'], 2],
    [['replay', '--webhook', 'whk_nope', '--state', 'PENDING'], 2],
    [['deliveries', 'whk_nope'], 3],
    [['deliveries', 'show', 'dlv_nope'], 3],
    [['deliveries', 'whk_nope', '--event', 'NOPE'], 2],
    [['deliveries', 'whk_nope', '--since', 'yesterday'], 2],
    [['deliveries', 'whk_nope', '--since', '1h', '--until', '2h'], 2],
    [['deliveries', 'whk_nope', '--state', 'LOST'], 2],
  ])('webhook %j ends with %i', async (words, exit) => {
    const run = await it.inside(['webhook', ...words, '--json']);
    expect(run.code).toBe(exit);
    if (exit !== 7) expect(run.stdout).toBe('');
  });
});

describe('doctor', () => {
  const check = async (name: string) => {
    const run = await it.inside(['doctor', `webhooks.${name}`, '--json']);
    return JSON.parse(run.stdout).checks[0] as { status: string; message: string; hint: string | null };
  };
  const change = (table: string, where: object, values: object) =>
    within((ctx) => ctx.tx(async (ctx) => ctx.db.knex(table).where(where).update(values)));

  test('webhooks.disabled warns of those that failed, not of those that staff disabled', async () => {
    expect(await check('disabled')).toMatchObject({ status: 'ok', message: 'no webhook is disabled' });
    await it.answer(['webhook', 'disable', id]);
    expect(await check('disabled')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('by staff'),
    });
    await change(
      'webhooks',
      { id },
      { consecutive_failures: 20, disabled_reason: '20 deliveries in a row failed' },
    );
    expect(await check('disabled')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('20 deliveries in a row failed'),
      hint: `appctl webhook test ${id}, then appctl webhook enable ${id}`,
    });
    await it.answer(['webhook', 'enable', id]);
  });

  test('webhooks.dead-queue warns of what waits too long and of what failed today', async () => {
    expect(await check('dead-queue')).toMatchObject({ status: 'ok' });
    receiver.answers = [400];
    await mint();
    await send();
    expect(await check('dead-queue')).toMatchObject({
      status: 'warn',
      message: 'failed deliveries in the last 24 hours: 1, to 1 of the webhooks',
      hint: `appctl webhook deliveries ${id} --state FAILED --since 24h`,
    });
    await mint();
    const longAgo = new Date(Date.now() - 700_000).toISOString();
    await change('outbox', { target: id }, { available_at: longAgo });
    expect(await check('dead-queue')).toMatchObject({ status: 'warn', hint: 'appctl serve' });
    await send();
  });

  test('webhooks.failing and status name a receiver that refuses, with the command that shows why', async () => {
    expect(await check('failing')).toMatchObject({ status: 'ok' });
    receiver.answers = [503];
    await mint();
    await send();
    const hint = `appctl webhook deliveries ${id} --state PENDING`;
    expect(await check('failing')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('1 delivery: the receiver answered 503'),
      hint,
    });
    const { warnings } = (await it.answer(['status'])) as { warnings: string[] };
    expect(warnings.join('\n')).toMatch(
      /1 webhook delivery failed: .*the receiver answered 503; appctl webhook deliveries whk_\w+ --state PENDING/,
    );
    await change('outbox', { target: id }, { available_at: new Date(Date.now() - 1000).toISOString() });
    await send();
    expect(await check('failing')).toMatchObject({ status: 'ok' });
  });

  test.each([
    ['10.0.0.0/8,192.168.1.0/24', 'ok', 'webhooks also reach 10.0.0.0/8, 192.168.1.0/24'],
    ['169.254.0.0/16', 'warn', 'metadata service'],
    ['0.0.0.0/0', 'warn', 'every address'],
    ['127.0.0.0/8', 'ok', '127.0.0.0/8'],
  ])('webhooks.private-ranges of %s: %s', async (ranges, status, message) => {
    await it.inside(['settings', 'set', 'webhooks.allowed_private_cidrs', ranges]);
    expect(await check('private-ranges')).toMatchObject({
      status,
      message: expect.stringContaining(message),
    });
  });
});
