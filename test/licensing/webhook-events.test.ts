// The events that webhooks can subscribe to, and what is sent of them (spec, Events; licensing section 3).
import { expect, test } from 'vitest';
import type { StoredEvent } from '#kernel/context.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';

const { subscribes, payload, plan, events } = licenseWebhooks;
const all = { productIds: null, redactEmail: false };

const specEvents = [
  'LICENSE_CREATED',
  'LICENSE_ACTIVATED',
  'LICENSE_DEACTIVATED',
  'LICENSE_VALIDATED',
  'LICENSE_EXPIRED',
  'LICENSE_RENEWED',
  'LICENSE_SUSPENDED',
  'LICENSE_REVOKED',
  'LICENSE_DELETED',
  'ACTIVATION_LIMIT_REACHED',
  'VALIDATION_FAILED',
  'ABUSE_FLAGGED',
  'ABUSE_CLEARED',
  'KEY_REPLACED',
  'HONEYPOT_TRIGGERED',
  'HEARTBEAT_MISSED',
  'SEAT_CHECKED_OUT',
  'SEAT_CHECKED_IN',
  'LEASE_EXPIRED',
  'USAGE_RECORDED',
  'USAGE_WARNING',
  'USAGE_EXHAUSTED',
  'USAGE_RESET',
];

/** Fields of `details`, as licensing section 3 lists them. */
const detailsOf: Record<string, string> = {
  LICENSE_CREATED: 'source type tier maxActivations validUntil orderId',
  LICENSE_ACTIVATED: 'machineId machineName',
  LICENSE_DEACTIVATED: 'machineId machineName reason',
  LICENSE_VALIDATED: 'machineId appVersion grace',
  VALIDATION_FAILED: 'machineId appVersion code message',
  LICENSE_EXPIRED: 'validUntil graceExpiresAt',
  LICENSE_RENEWED: 'previousValidUntil validUntil previousStatus',
  LICENSE_SUSPENDED: 'reason note',
  LICENSE_REVOKED: 'reason deactivatedMachineIds',
  LICENSE_DELETED: 'reason deactivatedMachineIds',
  ACTIVATION_LIMIT_REACHED: 'machineId machineName activationsUsed maxActivations',
  ABUSE_FLAGGED: 'flagId rule score evidence',
  ABUSE_CLEARED: 'flagId rule resolution note',
  KEY_REPLACED: 'oldKeyPrefix newKeyPrefix reason overlapUntil',
  HONEYPOT_TRIGGERED: 'endpoint ip machineId userAgent',
  HEARTBEAT_MISSED: 'machineId machineName lastSeenAt metadata strategy customerEmail',
  SEAT_CHECKED_OUT: 'activationId machineId machineName leaseExpiresAt metadata seatsUsed seatsTotal',
  SEAT_CHECKED_IN: 'activationId machineId machineName leaseExpiresAt metadata seatsUsed seatsTotal',
  LEASE_EXPIRED: 'activationId machineId leaseExpiresAt metadata',
  USAGE_RECORDED: 'feature quantity current max metadata',
  USAGE_WARNING: 'feature current max percentUsed threshold',
  USAGE_EXHAUSTED: 'feature current max percentUsed threshold',
  USAGE_RESET: 'previous current actor',
  LICENSE_REINSTATED: 'previousStatus status',
  LICENSE_RESTORED: 'previousStatus status',
};

test('the catalogue holds the events of the spec in its order, then the two additions', () => {
  expect(events.map(({ name }) => name)).toEqual([...specEvents, 'LICENSE_REINSTATED', 'LICENSE_RESTORED']);
});

test.each(events)('$name has a description and an example with exactly the documented fields', (event) => {
  expect(event.description).toMatch(/^[a-z].{10,}[^.]$/);
  expect(Object.keys(event.example)).toEqual([
    'licenseId',
    'licenseKeyPrefix',
    'customerId',
    'status',
    'product',
    'machineIds',
    'details',
  ]);
  expect(Object.keys(event.example.details as object)).toEqual(detailsOf[event.name]?.split(' '));
  expect(Object.keys(event.example.product as object)).toEqual(['name', 'slug']);
  // A key would be longer than a prefix of two groups.
  expect(JSON.stringify(event.example)).not.toMatch(/APP-[A-Z0-9]{4}-/);
});

test('an example that ended its activations names them twice (D123)', () => {
  for (const name of ['LICENSE_REVOKED', 'LICENSE_DELETED']) {
    const example = events.find((event) => event.name === name)?.example as {
      machineIds: string[];
      details: { deactivatedMachineIds: string[] };
    };
    expect(example.machineIds).toEqual(example.details.deactivatedMachineIds);
    expect(example.machineIds).not.toEqual([]);
  }
});

test('a new webhook takes all events of the spec but the three of high volume (D121)', () => {
  const left = new Set(['LICENSE_VALIDATED', 'VALIDATION_FAILED', 'USAGE_RECORDED']);
  expect(licenseWebhooks.defaultEvents).toEqual(specEvents.filter((name) => !left.has(name)));
});

test('* takes the events of the spec and no other; the additions come by name only (D41)', () => {
  const taken = [...specEvents, 'LICENSE_REINSTATED', 'LICENSE_RESTORED', 'WEBHOOK_TEST'].filter((name) =>
    subscribes(['*'], name),
  );
  expect(taken).toEqual(specEvents);
  expect(subscribes(['LICENSE_REINSTATED'], 'LICENSE_REINSTATED')).toBe(true);
  expect(subscribes(['LICENSE_CREATED'], 'LICENSE_REVOKED')).toBe(false);
});

test.each([
  'SEAT_DENIED',
  'LICENSE_SHORTENED',
  'LICENSE_IMPORTED',
  'USAGE_SET',
  'WEBHOOK_TEST',
  'WEBHOOK_CREATED',
  'API_KEY_CREATED',
  'constructor',
  '__proto__',
  '*',
  '',
])('%j is no event: it is sent to nobody, not even to who names it', (name) => {
  expect([subscribes(['*'], name), subscribes([name], name)]).toEqual([false, false]);
});

const stored = (type: string, data: Record<string, unknown>): StoredEvent => ({
  id: 'evt_1',
  at: '2026-03-01T12:00:00.000Z',
  tenantId: 'ten_1',
  service: 'license',
  subject: 'lic_1',
  type,
  data,
});

test('the body has the fields of the Payload table in its order; what else the timeline knows stays away', () => {
  const example = events.find(({ name }) => name === 'LICENSE_ACTIVATED')?.example ?? {};
  const event = { ...stored('LICENSE_ACTIVATED', { ...example, note: 'inside' }), diff: { a: [1, 2] } };
  const body = payload(event, all);
  expect(JSON.stringify(body)).toBe(
    JSON.stringify({ event: 'LICENSE_ACTIVATED', timestamp: '2026-03-01T12:00:00.000Z', data: example }),
  );
});

test('redactEmail takes the address out of HEARTBEAT_MISSED and changes no other event (D124)', () => {
  for (const { name, example } of events) {
    const plain = payload(stored(name, example), all);
    const redacted = payload(stored(name, example), { productIds: null, redactEmail: true });
    if (name !== 'HEARTBEAT_MISSED') expect(redacted).toEqual(plain);
    else {
      expect(plain).toMatchObject({ data: { details: { customerEmail: 'ada@example.com' } } });
      expect(redacted).toMatchObject({
        data: { details: { customerEmail: null, machineName: 'studio-mac' } },
      });
    }
    expect(JSON.stringify(redacted)).not.toContain('@');
  }
});

test('the plan: three attempts, 0, 10 and 30 s; 5xx are retried and nothing ends a webhook (D117, D118)', () => {
  expect(plan.delaysSeconds).toEqual([0, 10, 30]);
  expect([500, 503, 599].map(plan.retries)).toEqual([true, true, true]);
  expect([200, 301, 400, 404, 410, 429, 499].map(plan.retries)).toEqual(Array(7).fill(false));
  expect([200, 410, 500].map(plan.endsWebhook)).toEqual([false, false, false]);
  expect(licenseWebhooks.excerptBytes).toBe(2048);
});

test('the test event names its webhook; a test of another event is its example', () => {
  const webhook = { id: 'whk_1', note: 'hello' };
  expect(licenseWebhooks.testData('WEBHOOK_TEST', webhook).details).toEqual({
    webhookId: 'whk_1',
    note: 'hello',
  });
  const created = events.find(({ name }) => name === 'LICENSE_CREATED');
  expect(licenseWebhooks.testData('LICENSE_CREATED', webhook)).toEqual(created?.example);
});
