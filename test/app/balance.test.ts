// Connections of a busy process move to an idle one, and no more of them than make all equal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Leaving } from '#kernel/http/leaving.ts';
import { type HttpRuntime, openExchange } from '#kernel/http/runtime.ts';
import { Balance, excessOf } from '../../src/app/workers/balance.ts';

test('a busy process parts with what it has more than all have on the average', () => {
  expect(excessOf(1, [0])).toBe(0.5);
  expect(excessOf(1, [0.9, 0.2])).toBeCloseTo(0.3);
  expect(excessOf(0.8, [0.4])).toBeCloseTo(0.25);
  expect(excessOf(0.85, [...Array(6).fill(0.85), 0])).toBeCloseTo(0.125);
});

test('one that has time left, or none idler beside it, keeps its own', () => {
  expect(excessOf(0.7, [0])).toBe(0);
  expect(excessOf(1, [0.8, 0.75])).toBe(0);
  expect(excessOf(1, [])).toBe(0);
});

const asked = (leaving: Leaving, socket: object, headers = {}, shouldKeepAlive = true): boolean =>
  leaving.asks({ socket, headers } as IncomingMessage, { shouldKeepAlive } as ServerResponse);

test('of the connections that are in use a share leaves, each looked at once', () => {
  const leaving = new Leaving();
  const sockets = Array.from({ length: 8 }, () => ({}));
  const whoLeaves = () => sockets.map((socket) => asked(leaving, socket));
  expect(whoLeaves()).not.toContain(true);
  leaving.begin(0.5);
  // What ends anyway, or has a body that may still be on its way, is no part of it.
  expect(asked(leaving, {}, {}, false)).toBe(false);
  expect(asked(leaving, {}, { 'transfer-encoding': 'chunked' })).toBe(false);
  expect(asked(leaving, {}, { 'content-length': '20000' })).toBe(false);
  expect(whoLeaves()).toEqual([false, true, false, true, false, true, false, true]);
  expect(whoLeaves()).not.toContain(true);
  leaving.begin(0);
  expect(whoLeaves()).not.toContain(true);
});

test('what comes behind an answer that ends its connection is too late', () => {
  const state = { isHttps: false, isDraining: false, isResting: false, leaving: new Leaving() };
  const root = { now: () => '2026-11-30T00:00:00Z', with: () => root };
  const http = { root, state, clientAddress: () => '127.0.0.1' } as unknown as HttpRuntime;
  const [req, res] = [
    { headers: {}, socket: { writableEnded: false } } as IncomingMessage,
    { shouldKeepAlive: true } as ServerResponse,
  ];
  const ends = () => openExchange(req, res, http, '/').headers.Connection === 'close';
  expect([ends(), state.leaving.isTooLate(req)]).toEqual([false, false]);
  state.isDraining = true;
  expect([ends(), state.leaving.isTooLate(req)]).toEqual([true, true]);
  Object.assign(res, { writableFinished: true });
  expect(state.leaving.isTooLate(req)).toBe(false);
  Object.assign(req.socket, { writableEnded: true });
  expect(state.leaving.isTooLate(req)).toBe(true);
});

test('a process with one busy connection keeps it', () => {
  const leaving = new Leaving();
  const socket = {};
  leaving.begin(0.5);
  expect([asked(leaving, socket), asked(leaving, socket), asked(leaving, socket)]).not.toContain(true);
});

/** A process that looks at how busy it is, as if time went by. */
function balancing() {
  const state = { leaving: new Leaving(), isDraining: false };
  const told: number[] = [];
  let now = 0;
  const balance = new Balance(
    state,
    ({ share }) => told.push(share),
    () => now,
  );
  const look = (share: number, afterMs = 500): number => {
    now += afterMs;
    balance.look(share);
    return Array.from({ length: 100 }, () => asked(state.leaving, {})).filter(Boolean).length;
  };
  return { state, told, balance, look };
}

test('it lets go while another one has time, and waits for what came of it', () => {
  const { balance, look } = balancing();
  expect(look(1)).toBe(0);
  balance.hear({ pid: 2, share: 0 });
  expect(look(1)).toBe(50);
  expect(look(1)).toBe(0);
  balance.hear({ pid: 2, share: 0.5 });
  expect(look(1)).toBe(25);
  expect(look(1)).toBe(0);
  balance.hear({ pid: 2, share: 0.8 });
  expect(look(1)).toBe(0);
});

test('one that says nothing any more takes nobody over', () => {
  const { balance, look } = balancing();
  balance.hear({ pid: 2, share: 0 });
  expect(look(1, 2001)).toBe(0);
});

test('it says how busy it is once a second, and at once what is new; nothing while it stops', () => {
  const { state, told, look } = balancing();
  look(0.5);
  look(0.52);
  look(0.52);
  look(0.9);
  expect(told).toEqual([0.5, 0.52, 0.9]);
  state.isDraining = true;
  look(0, 5000);
  expect(told).toHaveLength(3);
});
