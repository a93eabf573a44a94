import type { Config } from './config/config.ts';
import { LineBlocks } from './line-blocks.ts';
import { type Log, logTo } from './log.ts';
import { LogRing } from './log-ring.ts';

/** The log of a process that another one writes. */
export interface ForwardedLog {
  readonly log: Log;
  /** Its newest lines, and those that it is shown of the others. */
  readonly ring: LogRing;
  /** Hands on what waits. */
  flush(): void;
}

/** @param hand given lines in blocks */
export function forwardedLog(
  level: Config['log']['level'],
  hand: (lines: readonly string[]) => void,
): ForwardedLog {
  const ring = new LogRing();
  const blocks = new LineBlocks(hand);
  const write = (line: string): void => {
    ring.write(line);
    blocks.write(line);
  };
  return { log: logTo({ write }, level), ring, flush: () => blocks.flush() };
}
