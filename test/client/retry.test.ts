// Retry and backoff: each row of licensing.md 7.4.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Answer,
  activation,
  license,
  offline,
  ok,
  pass,
  refuse,
  type Server,
  scripted,
  settle,
  stopTimers,
  until,
  valid,
} from './scripted.ts';

/** Gives the answers one after the other, and the last one for ever. */
const inOrder = (...answers: (Answer | Server)[]): Server => {
  let next = 0;
  return (asked) => {
    const answer = answers[Math.min(next, answers.length - 1)] as Answer | Server;
    next += 1;
    return typeof answer === 'function' ? answer(asked) : answer;
  };
};
const page: Answer = { status: 502, body: '<html>Bad gateway</html>' };
const activated = ok({ message: 'done', license, activation });

describe('network error, 502, 503, 504: retried up to three attempts', () => {
  test.each<[string, Answer | Server]>([
    ['network error', offline],
    ['502 of a proxy', page],
    ['503', refuse(503, 'SERVER_ERROR')],
    ['504', refuse(504, 'SERVER_ERROR')],
  ])('%s', async (_what, failure) => {
    const { client, operations, of } = scripted(inOrder(failure, failure, activated));
    await client.activate();
    expect(operations()).toEqual(['activate', 'activate', 'activate']);
    expect(of('retry').map(({ operation, attempt }) => [operation, attempt])).toEqual([
      ['activate', 1],
      ['activate', 2],
    ]);
  });

  test('after the last attempt the caller is told why', async () => {
    const { client, operations } = scripted(offline);
    await expect(client.activate()).rejects.toMatchObject({ name: 'ClientError', code: 'NETWORK' });
    expect(operations()).toHaveLength(3);
    const proxied = scripted(() => page);
    await expect(proxied.client.activate()).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    const spoken = scripted(() => refuse(503, 'SERVER_ERROR', { requestId: 'req_1' }));
    await expect(spoken.client.activate()).rejects.toMatchObject({
      name: 'LicenseApiError',
      code: 'SERVER_ERROR',
      httpStatus: 503,
      requestId: 'req_1',
    });
  });

  test('the number of attempts is an option', async () => {
    const { client, operations } = scripted(offline, { retry: { attempts: 5, baseMs: 1, maxMs: 1 } });
    await expect(client.activate()).rejects.toThrow();
    expect(operations()).toHaveLength(5);
  });

  test('each attempt asks with the same nonce and key', async () => {
    const { client, asked } = scripted(inOrder(offline, activated));
    await client.activate();
    expect(asked[0]?.body).toEqual(asked[1]?.body);
    expect(String(asked[0]?.body.nonce)).toMatch(/^[\w-]{22}$/);
  });

  test('the delay is random from 0 to base × 2^n, at most the maximum', async () => {
    stopTimers();
    try {
      const delays: number[][] = [[], [], [], []];
      for (let run = 0; run < 40; run += 1) {
        const one = scripted(offline, { retry: { attempts: 5, baseMs: 100, maxMs: 300 } });
        const done = one.client.activate().catch(() => undefined);
        await until(() => one.of('retry').length === 1);
        await vi.advanceTimersByTimeAsync(1000);
        await done;
        for (const [place, { delayMs }] of one.of('retry').entries()) delays[place]?.push(delayMs);
      }
      const highest = delays.map((list) => Math.max(...list));
      const limits = [100, 200, 300, 300];
      for (const [place, limit] of limits.entries()) {
        expect(highest[place]).toBeLessThanOrEqual(limit);
        expect(highest[place]).toBeGreaterThan(limit * 0.6);
        expect(Math.min(...(delays[place] ?? []))).toBeLessThan(limit * 0.4);
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

test('timeout: an attempt ends after timeoutMs, also when fetch does not listen, and is retried', async () => {
  const never = () => new Promise<Answer>(() => undefined);
  const { client, operations, asked } = scripted(never, { timeoutMs: 100 });
  await expect(client.activate()).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(operations()).toHaveLength(3);
  expect(asked.every(({ signal }) => signal.aborted)).toBe(true);
});

describe('500: one retry', () => {
  test('the second one is told', async () => {
    const { client, operations } = scripted(() => refuse(500, 'SERVER_ERROR'));
    await expect(client.activate()).rejects.toMatchObject({ code: 'SERVER_ERROR', httpStatus: 500 });
    expect(operations()).toHaveLength(2);
  });
  test('an outage before it does not use it up', async () => {
    const { client, operations } = scripted(inOrder(offline, refuse(500, 'SERVER_ERROR'), activated));
    await client.activate();
    expect(operations()).toHaveLength(3);
  });
});

describe('429', () => {
  beforeEach(stopTimers);
  afterEach(() => void vi.useRealTimers());
  const limited = (headers: Record<string, string>, details = {}) =>
    refuse(429, 'RATE_LIMITED', { error: { code: 'RATE_LIMITED', message: 'slow down', details } }, headers);

  test.each<[string, Record<string, string>, object]>([
    ['Retry-After', { 'Retry-After': '7', 'RateLimit-Reset': '900' }, {}],
    ['Retry-After as a date', { 'Retry-After': 'Sun, 01 Mar 2026 12:00:07 GMT' }, {}],
    ['RateLimit-Reset', { 'RateLimit-Reset': '7' }, {}],
    ['the body, when a page may not read the headers', {}, { resetSeconds: 7 }],
  ])('the wait is taken from %s', async (_what, headers, details) => {
    const one = scripted(inOrder(limited(headers, details), activated));
    const done = one.client.activate();
    await until(() => one.of('retry').length === 1);
    expect(one.of('retry')).toEqual([{ operation: 'activate', attempt: 1, delayMs: 7000 }]);
    await vi.advanceTimersByTimeAsync(6999);
    await settle();
    expect(one.operations()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(one.operations()).toHaveLength(2);
  });

  test('an interactive call waits 30 s and not 31', async () => {
    const patient = scripted(inOrder(limited({ 'Retry-After': '30' }), activated));
    const done = patient.client.activate();
    await until(() => patient.of('retry').length === 1);
    await vi.advanceTimersByTimeAsync(30_000);
    await done;
    const given = scripted(() => limited({ 'Retry-After': '31' }));
    expect(await given.client.activate()).toMatchObject({
      activated: false,
      code: 'RATE_LIMITED',
      retryAfterSeconds: 31,
      retryAt: '2026-03-01T12:00:31.000Z',
    });
    expect(given.operations()).toHaveLength(1);
    expect(given.of('retry')).toEqual([]);
  });

  test('a background call waits as long as it takes', async () => {
    const one = scripted(inOrder(limited({ 'Retry-After': '900' }), ok()));
    one.client.startHeartbeat();
    await until(() => one.of('retry').length === 1);
    await pass(one, 899);
    expect(one.operations()).toHaveLength(1);
    await pass(one, 2);
    expect(one.operations()).toEqual(['heartbeat', 'heartbeat']);
    expect(one.of('background-error')).toEqual([]);
    await one.client.close();
  });
});

test.each([400, 401, 403, 404, 409, 413])('other 4xx are not retried: %i', async (status) => {
  const details = { reason: 'SEATS_EXHAUSTED', max: 3 };
  const error = { code: 'ACTIVATION_FAILED', message: 'Maximum activations reached (3 of 3)', details };
  const { client, operations } = scripted(() => ({
    status,
    body: { success: false, error, requestId: 'req_7' },
  }));
  await expect(client.validate()).rejects.toMatchObject({
    name: 'LicenseApiError',
    code: 'ACTIVATION_FAILED',
    message: 'Maximum activations reached (3 of 3)',
    httpStatus: status,
    details,
    requestId: 'req_7',
    retryAfterSeconds: null,
    body: { success: false, error, requestId: 'req_7' },
  });
  expect(operations()).toHaveLength(1);
});

describe('an answer that is not the server’s is BAD_RESPONSE, without a retry', () => {
  test.each<[string, Answer]>([
    ['a page', { status: 200, body: '<html>Log in to this network</html>' }],
    ['another JSON', { status: 200, body: { hello: true } }],
    ['a list', { status: 200, body: [] }],
    [
      'the answer to another question',
      ok({ ...(activated.body as object), nonce: 'AAAAAAAAAAAAAAAAAAAAAA' }),
    ],
    ['no license', ok({ activation })],
    ['a field of another type', ok({ license: { ...license, maxActivations: '2' }, activation })],
    ['an error without a code', { status: 400, body: { success: false } }],
  ])('%s', async (_what, answer) => {
    const { client, operations } = scripted(() => answer);
    await expect(client.activate()).rejects.toMatchObject({ name: 'ClientError', code: 'BAD_RESPONSE' });
    expect(operations()).toHaveLength(1);
  });
});

describe('a repeat that finds the work done is success', () => {
  const gone = refuse(400, 'DEACTIVATION_FAILED', {
    error: { code: 'DEACTIVATION_FAILED', message: 'none', details: { reason: 'NO_ACTIVATION' } },
  });
  const churn = refuse(400, 'DEACTIVATION_FAILED', {
    error: { code: 'DEACTIVATION_FAILED', message: 'none', details: { reason: 'CHURN_LIMIT' } },
  });
  const notOut = refuse(400, 'NOT_CHECKED_OUT');

  test.each<[string, Answer | Server]>([
    ['network error', offline],
    ['500', refuse(500, 'SERVER_ERROR')],
    ['502', page],
  ])('deactivate after %s', async (_what, failure) => {
    const { client } = scripted(inOrder(failure, gone));
    await expect(client.deactivate()).resolves.toBeUndefined();
  });

  test('deactivate at the first attempt, after a rate limit, and by the churn limit is refused', async () => {
    const refused = { code: 'DEACTIVATION_FAILED' };
    await expect(scripted(() => gone).client.deactivate()).rejects.toMatchObject(refused);
    const limited = refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '0' });
    await expect(scripted(inOrder(limited, gone)).client.deactivate()).rejects.toMatchObject(refused);
    await expect(scripted(inOrder(offline, churn)).client.deactivate()).rejects.toMatchObject(refused);
  });

  test('checkin, with the number of seats that the answer would have said', async () => {
    const floating = { seatsUsed: 3, seatsTotal: 5, seatsAvailable: 2, leaseExpiresAt: null };
    const { client, serve } = scripted(() => valid({ floating }));
    await client.access();
    serve(inOrder(offline, notOut));
    expect(await client.checkin()).toEqual({ seatsAvailable: 3 });
    await expect(scripted(() => notOut).client.checkin()).rejects.toMatchObject({ code: 'NOT_CHECKED_OUT' });
  });

  test('no other refusal is', async () => {
    const { client } = scripted(inOrder(offline, refuse(404, 'NOT_FOUND')));
    await expect(client.deactivate()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('giving up', () => {
  const hang: Server = () => new Promise(() => undefined);

  test('the caller’s signal ends a request at once', async () => {
    const { client, asked } = scripted(hang);
    const leave = new AbortController();
    const done = client.activate(leave.signal);
    await until(() => asked.length === 1);
    leave.abort();
    await expect(done).rejects.toMatchObject({ name: 'ClientError', code: 'ABORTED' });
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  test('and the wait for another attempt', async () => {
    const { client, of, operations } = scripted(offline, { retry: { baseMs: 1e9, maxMs: 1e9 } });
    const leave = new AbortController();
    const done = client.deactivate(leave.signal);
    await until(() => of('retry').length === 1);
    leave.abort();
    await expect(done).rejects.toMatchObject({ code: 'ABORTED' });
    expect(operations()).toHaveLength(1);
  });

  test('a signal that was given already asks nobody', async () => {
    const { client } = scripted(hang);
    await expect(client.activate(AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(client.access({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
