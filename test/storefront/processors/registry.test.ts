// Which processors there are, and which of them a buyer can choose.
import { expect, test } from 'vitest';
import {
  activeProcessorOf,
  activeProcessors,
  isConfigured,
  type ProcessorCtx,
  processorOf,
  processors,
} from '#storefront/orders/processors/index.ts';
import { paymentOf, processorCtx } from '../../support/processors/connect.ts';

const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);
const production = (settings: Record<string, unknown> = {}): ProcessorCtx =>
  processorCtx({ settings, mode: 'production' });

test('the test processor is offered with --dev only', () => {
  expect(idsOf(processors({ mode: 'development' }))).toContain('fake');
  expect(idsOf(processors({ mode: 'production' }))).not.toContain('fake');
  expect(() => processorOf({ mode: 'production' }, 'fake')).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND' }),
  );
  expect(() => processorOf({ mode: 'development' }, 'bank')).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND' }),
  );
});

test('a buyer chooses from the main one and the further ones, in that order and each once', () => {
  const settings = { payment_processor: 'fake', payment_processors_enabled: ['offline', 'fake'] };
  expect(idsOf(activeProcessors(processorCtx({ settings })))).toEqual(['fake', 'offline']);
  // What was chosen with --dev takes no payments in production.
  expect(idsOf(activeProcessors(production(settings)))).toEqual(['offline']);
  expect(activeProcessors(production())).toEqual([]);
  expect(activeProcessorOf(production(settings), 'offline').id).toBe('offline');
  for (const id of ['fake', '<b>'])
    expect(() => activeProcessorOf(production(settings), id)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: { reason: 'PAYMENT_UNAVAILABLE' },
        message: expect.not.stringContaining('<b>'),
      }),
    );
});

test('an offline payment waits for staff, and is paid back by hand', async () => {
  const ctx = production();
  const offline = processorOf(ctx, 'offline');
  expect(isConfigured(ctx, offline)).toBe(true);
  const it = await offline.connect(ctx);
  const payment = paymentOf({ sourceId: null });
  expect(await it.pay(payment)).toMatchObject({ status: 'pending', transactionId: null, amountCents: 1999 });
  const { paymentId, amountCents, currency } = payment;
  expect(await it.lookup({ paymentId, transactionId: null, createdAt: ctx.now() })).toBe('unknown');
  const refund = { paymentId, transactionId: '', amountCents, currency, reason: '', key: 'ref_1' };
  expect(await it.refund(refund)).toMatchObject({ status: 'succeeded', amountCents: 1999 });
  await expect(it.verify(Buffer.from('{}'), {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
