import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { startProgress } from '../../src/cli/frame/progress.ts';

afterEach(() => vi.restoreAllMocks());

/** Starts a bar on a terminal; answers it and what the terminal was sent. */
async function barOnTerminal() {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: stderr as never, env: {} };
  const progress = await startProgress(io, 'signing', 100, { quiet: false, json: false });
  return { progress, sent: () => String(stderr.read() ?? '') };
}

const HIDDEN = '\u001b[?25l';
const SHOWN = '\u001b[?25h';
const WRAPPED = '\u001b[?7h';

test('a signal that ends the command gives the terminal its cursor and its line wrapping back', async () => {
  const before = process.listeners('SIGINT');
  process.removeAllListeners('SIGINT');
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  try {
    const { sent } = await barOnTerminal();
    expect(sent()).toContain(HIDDEN);
    process.emit('SIGINT', 'SIGINT');
    const restored = sent();
    expect([restored.includes(SHOWN), restored.includes(WRAPPED)]).toEqual([true, true]);
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']]);
    expect(process.listenerCount('SIGINT')).toBe(0);
  } finally {
    for (const listener of before) process.on('SIGINT', listener);
  }
});

test('a command that listens itself goes on, and a bar that has ended listens no more', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const count = process.listenerCount('SIGTERM');
  const own = () => void process.off('SIGTERM', own);
  process.on('SIGTERM', own);
  const { progress, sent } = await barOnTerminal();
  sent();
  process.listeners('SIGTERM')[0]?.('SIGTERM');
  expect([sent(), kill.mock.calls]).toEqual(['', []]);
  progress.stop();
  process.off('SIGTERM', own);
  expect(process.listenerCount('SIGTERM')).toBe(count);
});
