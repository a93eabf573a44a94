// The first process of a server and another one, as real processes: one that stands still is ended, and nobody is when
// both stood still.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { isAlive } from '#kernel/process-identity.ts';
import { watchProcess } from '#kernel/silent-process.ts';

let first: ChildProcess | undefined;
let beside = 0;
afterEach(() => {
  vi.useRealTimers();
  first?.kill('SIGKILL');
  if (beside !== 0 && isAlive(beside)) process.kill(beside, 'SIGKILL');
});

async function start(): Promise<ChildProcess> {
  const script = join(import.meta.dirname, '../support/silent-process.ts');
  first = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
  const [said] = await once(first.stdout as NonNullable<typeof first.stdout>, 'data');
  beside = Number(said);
  return first;
}

test('a first process that stands still is ended by the other one, which says so', async () => {
  const stuck = await start();
  let said = '';
  stuck.stderr?.on('data', (text) => {
    said += text;
  });
  stuck.stdin?.write('x');
  const [code, signal] = await once(stuck, 'close');
  expect([code, signal]).toEqual([null, 'SIGKILL']);
  expect(JSON.parse(said.trim().split('\n').at(-1) ?? '')).toMatchObject({
    level: 'fatal',
    pid: stuck.pid,
    msg: 'the first process of the server does not respond: it is ended',
  });
}, 60_000);

test('when both were stopped for longer than either may be silent, none is ended', async () => {
  const { pid = 0 } = await start();
  for (const one of [pid, beside]) process.kill(one, 'SIGSTOP');
  await wait(5000);
  for (const one of [beside, pid]) process.kill(one, 'SIGCONT');
  await wait(5000);
  expect([pid, beside].map(isAlive)).toEqual([true, true]);
}, 60_000);

test('an answer begins the count anew, and a silence that lasts is told again', async () => {
  vi.useFakeTimers();
  const told: string[] = [];
  let answer = (): void => undefined;
  const end = watchProcess({
    ask: () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      }),
    everyMs: 10,
    looks: 3,
    onSilent: () => told.push('silent'),
    onAnswer: () => told.push('answer'),
  });
  await vi.advanceTimersByTimeAsync(39);
  answer();
  await vi.advanceTimersByTimeAsync(30);
  expect(told).toEqual(['answer']);
  await vi.advanceTimersByTimeAsync(40);
  expect(told).toEqual(['answer', 'silent', 'silent']);
  end();
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toHaveLength(3);
});
