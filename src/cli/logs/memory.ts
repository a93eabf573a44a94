import { sleep } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { socketPath } from '../../app/run-files.ts';
import { type LogLine, type LogSource, lineOf } from './lines.ts';

/** How soon a new line is seen. */
const ASK_EVERY_MS = 400;
/** A minute: a restart with a migration takes less. */
const MOST_MISSES = 150;

interface Kept {
  readonly lines: readonly { readonly seq: number; readonly text: string }[];
}

/** What the running server keeps of its log in memory; null when none runs. */
export async function memorySource(config: Config): Promise<LogSource | null> {
  const ask = (after: number) => callServer<Kept>(socketPath(config), 'log', { after });
  const first = await ask(0).catch(() => null);
  if (first === null) return null;
  let last = first.lines.at(-1)?.seq ?? 0;
  return {
    name: 'the memory of the running server',
    async *newest() {
      for (const { text } of first.lines.toReversed()) yield lineOf(text.trimEnd());
    },
    async *following(): AsyncGenerator<LogLine> {
      for (let misses = 0; misses < MOST_MISSES; await sleep(ASK_EVERY_MS)) {
        // One that starts, stops or hands over is asked again.
        const more = await ask(last).catch(() => null);
        misses = more === null ? misses + 1 : 0;
        for (const { text } of more?.lines ?? []) yield lineOf(text.trimEnd());
        last = more?.lines.at(-1)?.seq ?? last;
      }
    },
  };
}
