// Connections of a busy process move to an idle one, and no more of them than make the two equal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { type HttpRuntime, openExchange } from '#kernel/http/runtime.ts';
import { excessOf } from '../../src/app/workers/balance.ts';

test('a busy process parts with half of what it has more than the idlest', () => {
  expect(excessOf(1, [0])).toBe(0.5);
  expect(excessOf(1, [0.9, 0.2])).toBeCloseTo(0.4);
  expect(excessOf(0.8, [0.4])).toBeCloseTo(0.25);
});

test('one that has time left, or none idler beside it, keeps its own', () => {
  expect(excessOf(0.7, [0])).toBe(0);
  expect(excessOf(1, [0.8, 0.75])).toBe(0);
  expect(excessOf(1, [])).toBe(0);
});

test('so many of the next answers ask their clients to connect anew', () => {
  const state = { isHttps: false, isDraining: false, isResting: false, leaving: 2 };
  const root = { now: () => '2026-11-30T00:00:00Z', with: () => root };
  const http = { root, state, clientAddress: () => '127.0.0.1' } as unknown as HttpRuntime;
  const asked = () =>
    openExchange({ headers: {} } as IncomingMessage, {} as ServerResponse, http, '/').headers;
  expect([asked(), asked(), asked()].map(({ Connection }) => Connection)).toEqual([
    'close',
    'close',
    undefined,
  ]);
  expect(state.leaving).toBe(0);
});
