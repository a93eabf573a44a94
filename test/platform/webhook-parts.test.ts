// The parts of a delivery that need no database: the verdict, the retry times, the User-Agent, the redaction.
import { expect, test } from 'vitest';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import { headersOf } from '../../src/platform/webhooks/deliveries/headers.ts';
import { redact } from '../../src/platform/webhooks/deliveries/redact.ts';
import { retryAt, verdictOf } from '../../src/platform/webhooks/deliveries/verdict.ts';

const { plan } = licenseWebhooks;
const answered = (status: number) => ({ ms: 1, status, headers: {}, excerpt: '' });
const NOW = '2026-03-01T12:00:00.000Z';

test.each([200, 201, 204, 299])('%i delivers at any attempt', (status) => {
  for (const n of [1, 2, 3]) expect(verdictOf(plan, answered(status), n)).toBe('delivered');
});

test.each([101, 199, 300, 301, 302, 307, 308, 400, 401, 404, 408, 410, 425, 429, 499])(
  '%i ends the delivery',
  (status) => {
    expect(verdictOf(plan, answered(status), 1)).toBe('failed');
  },
);

test.each([500, 502, 503, 504, 599])('%i is retried twice', (status) => {
  expect([1, 2, 3].map((n) => verdictOf(plan, answered(status), n))).toEqual(['retry', 'retry', 'failed']);
});

test.each(['timeout', 'network', 'blocked'] as const)('%s is retried twice', (failure) => {
  const outcome = { ms: 10_000, failure, error: 'no answer within 10 s' };
  expect([1, 2, 3].map((n) => verdictOf(plan, outcome, n))).toEqual(['retry', 'retry', 'failed']);
});

test.each([
  [1, 10],
  [2, 30],
])('after attempt %i the next one is due in %i s, a tenth earlier or later', (n, seconds) => {
  const waits = Array.from(
    { length: 500 },
    () => (Date.parse(retryAt(plan, n, NOW)) - Date.parse(NOW)) / 1000,
  );
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds * 0.9);
  expect(Math.max(...waits)).toBeLessThanOrEqual(seconds * 1.1);
  expect(new Set(waits).size).toBeGreaterThan(50);
});

test.each([
  ['appctl', 'appctl/1.0'],
  ['Acme Licenses', 'Acme-Licenses/1.0'],
  ['Ünïcode GmbH & Co. (KG)', 'n-code-GmbH-&-Co.-KG/1.0'],
  ['a\r\nX-Evil: 1', 'a-X-Evil-1/1.0'],
  ['日本', 'appctl/1.0'],
])('the User-Agent of the service %j is %s', (sender, userAgent) => {
  const sendable = { event: 'E', eventId: 'evt_1', body: '{}', n: 1, isRedelivery: false };
  const headers = headersOf(sendable, { secret: 's', previous: null, headers: {} }, { sender, sentAt: NOW });
  expect(headers['User-Agent']).toBe(userAgent);
});

test('redaction takes keys, tokens and signatures, and leaves what is none', () => {
  const none = { secret: 'secret-of-the-webhook', previous: 'secret-before', headers: {} };
  const kept =
    'id 123e4567-e89b-12d3-a456-426614174000, APP-7F3K, 2026-03-01T12:00:00.000Z, not-a-key-at-all';
  expect(redact(kept, none)).toBe(kept);
  const key = 'APP-7F3K-M3Q9-AAAA-BBBB';
  const token = `alk_${'a'.repeat(43)}`;
  const text = `${key} ${key.toLowerCase()} Bearer abcdefghij ${token} sha256=${'ab'.repeat(32)} ${none.secret} ${none.previous}`;
  expect(redact(text, none)).toBe(
    '[redacted] [redacted] Bearer [redacted] [redacted] sha256=[redacted] [redacted] [redacted]',
  );
});
