// What comes from outside must not make a parser throw, nor a forged signature hold (D104 to D110, M9).
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planPurchase } from '#licensing/purchases/inbox/processing/plan.ts';
import { readEvent, signatureFault } from '#licensing/purchases/inbox/processors/processors.ts';
import { always } from '../support/property.ts';

const processors = ['STRIPE', 'SQUARE', 'GENERIC'] as const;
const secret = 'a-secret-of-24-characters';
const receivedMs = Date.parse('2026-03-01T12:00:00.000Z');
const names = [
  'stripe-signature',
  'x-square-hmacsha256-signature',
  'x-webhook-signature',
  'x-signature',
] as const;

/** Texts that look like the headers, with one part or another of them wrong. */
const header = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('t', '=', ',', 'v', '1', '0', 'a', 'f', ' ', '-', 'sha256=', '+', '/') }),
  fc.base64String(),
  fc
    .tuple(fc.integer(), fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFg') }))
    .map(([t, v]) => `t=${t},v1=${v}`),
);
const headers = fc.record(Object.fromEntries(names.map((name) => [name, header])), { requiredKeys: [] });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));

describe.each(processors)('%s', (processor) => {
  it('refuses every signature that is not its own, and never throws', () => {
    always(
      fc.property(headers, bytes, fc.array(fc.string()), (sent, raw, secrets) => {
        const signed = {
          raw,
          headers: sent,
          secrets: [secret, ...secrets],
          notificationUrl: 'https://x.test',
          receivedMs,
        };
        expect(signatureFault(processor, signed)).toEqual(expect.any(String));
      }),
      { numRuns: 500 },
    );
  });

  it('holds its own signature, and not one of a changed body, secret or digest', () => {
    always(
      fc.property(bytes, fc.nat(63), fc.nat(1000), (raw, place, at) => {
        const time = String(receivedMs / 1000);
        const sign = (key: string, body: Buffer, change = (hex: string) => hex) => {
          const parts = { STRIPE: [`${time}.`], SQUARE: ['https://x.test'], GENERIC: [] }[processor];
          const digest = parts
            .reduce((hmac, part) => hmac.update(part), createHmac('sha256', key))
            .update(body);
          const hex = change(digest.digest('hex'));
          if (processor === 'STRIPE') return { 'stripe-signature': `t=${time},v1=${hex}` };
          if (processor === 'GENERIC') return { 'x-signature': hex };
          return { 'x-square-hmacsha256-signature': Buffer.from(hex, 'hex').toString('base64') };
        };
        const fault = (sent: object, body: Buffer = raw) =>
          signatureFault(processor, {
            raw: body,
            headers: sent,
            secrets: [secret],
            notificationUrl: 'https://x.test',
            receivedMs,
          });
        expect(fault(sign(secret, raw))).toBeNull();
        expect(fault(sign(`${secret}x`, raw))).not.toBeNull();
        const other = (digit: string) => (digit === '0' ? '1' : '0');
        const flipped = (hex: string) =>
          hex.slice(0, place) + other(hex[place] as string) + hex.slice(place + 1);
        expect(fault(sign(secret, raw, flipped))).not.toBeNull();
        const changed = Buffer.concat([
          raw.subarray(0, at % (raw.length + 1)),
          Buffer.from('x'),
          raw.subarray(at % (raw.length + 1)),
        ]);
        expect(fault(sign(secret, raw), changed)).not.toBeNull();
      }),
    );
  });

  it('with secrets of fewer than 16 characters nothing holds', () => {
    always(
      fc.property(fc.string({ maxLength: 15 }), bytes, (short, raw) => {
        const digest = createHmac('sha256', short).update(raw).digest('hex');
        const sent = { 'x-signature': digest, 'stripe-signature': `t=1,v1=${digest}` };
        const signed = { raw, headers: sent, secrets: [short, ''], notificationUrl: '', receivedMs: 1000 };
        expect(signatureFault(processor, signed)).not.toBeNull();
      }),
    );
  });

  it('reads any bytes and any JSON without throwing', () => {
    always(
      fc.property(
        fc.oneof(
          bytes,
          fc.json().map((text) => Buffer.from(text)),
        ),
        (raw) => {
          readEvent(processor, raw);
        },
      ),
    );
  });

  const words = [
    'id',
    'type',
    'event',
    'event_id',
    'data',
    'object',
    'metadata',
    'items',
    'line_items',
    'price',
    'quantity',
    'payment',
    'customer',
    'email',
    'productId',
    '__proto__',
    'constructor',
  ];
  const anything = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(
        null,
        true,
        1,
        -1,
        1e300,
        0.5,
        '',
        'payment.completed',
        'charge.refunded',
        'payment_intent.succeeded',
        'a@b.test',
        '\u0000',
        '\ud800',
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...words), tie('value')),
    ),
  })).value;

  it('reads what looks like an event, and plans it, without throwing', () => {
    always(
      fc.property(anything, fc.constantFrom('id', 'x'), (data, id) => {
        const common = { id, event_id: id, type: 'payment.completed', event: 'payment.completed' };
        const raw = Buffer.from(JSON.stringify({ ...common, data, ...(data as object) }));
        const event = readEvent(processor, raw);
        if (!event) return;
        expect(event.id.length).toBeGreaterThan(0);
        expect(event.id.isWellFormed() && !event.id.includes('\u0000')).toBe(true);
        const plan = planPurchase({
          event,
          mappings: [],
          receivedAt: '2026-03-01T12:00:00.000Z',
          only: null,
        });
        expect(plan).toMatchObject({ status: 'FAILED', reason: 'UNMAPPED' });
      }),
      { numRuns: 500 },
    );
  });
});

it('names of another processor: what means no money is no purchase (D109)', () => {
  const kindOf = (event: string) =>
    readEvent('GENERIC', Buffer.from(JSON.stringify({ id: '1', event })))?.kind;
  const bought = [
    'purchase',
    'payment',
    'ORDER.COMPLETED',
    'order-completed',
    'paymentReceived',
    'Payment Completed',
    'avoidance.payment',
    'notification.payment',
    'payment.reattempted',
  ];
  const not = [
    'payment.failed',
    'PAYMENT_FAILURE',
    'paymentFailed',
    'payment.dispute.created',
    'chargeback.completed',
    'payment:cancelled',
    'payment.voided',
    'payment-pending',
    'paymentExpired',
    'payment.declined',
    'payment/rejected',
    'payment.reversal',
    'payment.requires_action',
    'paymentActionRequired',
    'payment.unsuccessful',
    'incomplete_payment',
    'payment.incompleted',
    'not_completed',
    'orderNotCompleted',
    'POSNotCompleted',
    'payment.attempted',
    'purchase-abandoned',
    'order.created',
    'ping',
  ];
  expect(bought.map(kindOf)).toEqual(bought.map(() => 'PURCHASE'));
  expect(not.map(kindOf)).toEqual(not.map(() => 'OTHER'));
  expect(['payment.refunded', 'RefundCompleted', 'refund'].map(kindOf)).toEqual([
    'REFUND',
    'REFUND',
    'REFUND',
  ]);
  const notYet = ['refund.requires_action', 'refund_unsuccessful', 'refund.not_completed', 'refund.attempt'];
  expect(notYet.map(kindOf)).toEqual(notYet.map(() => 'OTHER'));
});
