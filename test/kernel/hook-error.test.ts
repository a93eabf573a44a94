import { expect, test } from 'vitest';
import { failureOf } from '#kernel/hooks/hook-error.ts';

test('a failure names its cause, without the credentials of an address', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
  expect(failureOf(new TypeError('fetch failed', { cause: refused }))).toBe(
    'TypeError: fetch failed (connect ECONNREFUSED 127.0.0.1:9)',
  );
  const several = Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' });
  expect(failureOf(new TypeError('fetch failed', { cause: several }))).toBe(
    'TypeError: fetch failed (ECONNREFUSED)',
  );
  const named = new Error('cannot reach https://ann:secret@crm.example.com/x');
  expect(failureOf(new Error('broken', { cause: named }))).toBe(
    'Error: broken (cannot reach https://***@crm.example.com/x)',
  );
  expect(failureOf(new Error('broken', { cause: 'a secret text' }))).toBe('Error: broken');
});
