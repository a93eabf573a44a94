import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Live } from '#kernel/http/live.ts';
import type { KeptLine } from '#kernel/log-ring.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { seesWholeInstallation } from '../admin/index.ts';
import { type LogLine, lineOf } from './line.ts';
import { type LogFilter, matches, ringOf } from './logs.ts';

/** How often a live tail does something, in milliseconds. A test shortens them in the memory of its process. */
export const logTailTimes = memoryKey('log-tail-times', () => ({
  /** What was written meanwhile is sent together: it is shown within a second. */
  sendMs: 250,
  /** Its caller's rights are read again: it ends within five seconds. */
  checkMs: 3000,
  /** A comment is sent, so that nothing in between takes it for dead. */
  beatMs: 15_000,
}));

/** Lines of one sending; a flood is told of by those that fit. */
const MOST_AT_ONCE = 200;
const RETRY_MS = 2000;

/**
 * Lines of the log as they are written, as text/event-stream, until the client leaves, the server stops or the caller's
 * rights end.
 *
 * @throws AppError as `ringOf`
 */
export async function* streamLines(ctx: Ctx, live: Live, filter: LogFilter): AsyncGenerator<Uint8Array> {
  const waiting: KeptLine[] = [];
  const stop = ringOf(ctx)?.listen((line) => {
    if (waiting.length < MOST_AT_ONCE) waiting.push(line);
  });
  const { sendMs, checkMs, beatMs } = ctx.memory.of(logTailTimes);
  const nowMs = () => systemClock.monotonicMs();
  let [checkedMs, sentMs] = [nowMs(), nowMs()];
  try {
    yield Buffer.from(`retry: ${RETRY_MS}\n\n`);
    while (!live.signal.aborted) {
      await wait(sendMs, undefined, { signal: live.signal }).catch(() => undefined);
      if (nowMs() - checkedMs >= checkMs) {
        const again = await live.renew();
        if (again === null || !seesWholeInstallation(again.actor)) return;
        checkedMs = nowMs();
      }
      const lines = waiting.splice(0).flatMap((kept) => wanted(kept, filter));
      if (lines.length === 0 && nowMs() - sentMs < beatMs) continue;
      sentMs = nowMs();
      yield Buffer.from(lines.length === 0 ? ':\n\n' : lines.map(chunk).join(''));
    }
  } finally {
    stop?.();
  }
}

function wanted(kept: KeptLine, filter: LogFilter): LogLine[] {
  const line = lineOf(kept);
  return line && matches(line, filter, kept.text) ? [line] : [];
}

const chunk = (line: LogLine): string => `id: ${line.seq}\ndata: ${JSON.stringify(line)}\n\n`;
