import { expect, test } from 'vitest';
import { refundedWords, refundSaid } from '../../src/cli/store/refund-words.ts';

const money = { currency: 'USD' };
const made = [
  { status: 'succeeded', amount_cents: 1000 },
  { status: 'pending', amount_cents: 800 },
  { status: 'failed', amount_cents: 50 },
];

test('money is called refunded only when it has gone back', () => {
  expect(refundSaid(made, money)).toBe(
    '$10.00 was refunded; a refund of $8.00 was requested from the processor and is on its way; the processor refused a refund of $0.50',
  );
  expect(refundSaid([], money)).toBe('nothing is refunded');
  expect(refundedWords(made, money)).toBe('$10.00, and $8.00 on its way');
  expect(refundedWords(made.slice(0, 1), money)).toBe('$10.00');
});
