// The run itself sees to it that each test asserts something: also one that returns before it comes to its assertion.
import { expect, test } from 'vitest';

test.fails('a test that asserts nothing fails', () => undefined);

test.fails('a test that returns before it asserts fails', () => {
  if (import.meta.dirname !== '') return;
  expect(import.meta.dirname).toBe('');
});
