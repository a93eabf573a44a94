import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Work that is asked once a second whether it is due. */
export interface Ticker {
  start(): void;
  /** Ends the ticking and waits for the tick under way. */
  stop(): Promise<void>;
}

export interface TickerOptions {
  clock: Clock;
  log: Log;
  /** One tick; `steppedMs` is what the wall clock moved beyond the monotonic one, 0 as a rule. */
  tick(steppedMs: number): Promise<void>;
  /** Asked beside it, each on its own: what must not wait until another of these has ended. */
  beside?: readonly (() => Promise<void>)[];
  /** Told of a step of the wall clock over 60 s. */
  onClockStep?(steppedMs: number): void;
}

const TICK_MS = 1000;
const STEP_MS = 60_000;

/**
 * The one ticker of the process, on the monotonic clock. What is due is asked of the database each time: a job
 * that hung on a cron library stopped firing after a backward clock step (reliability M20).
 */
export function createTicker({ clock, log, tick, beside = [], onClockStep }: TickerOptions): Ticker {
  let timer: NodeJS.Timeout | undefined;
  let lastWall = clock.epochMs();
  let lastMonotonic = clock.monotonicMs();
  const step = (): number => {
    const [wall, monotonic] = [clock.epochMs(), clock.monotonicMs()];
    const stepped = wall - lastWall - (monotonic - lastMonotonic);
    [lastWall, lastMonotonic] = [wall, monotonic];
    if (Math.abs(stepped) <= STEP_MS) return 0;
    log.warn({ clock_step_ms: Math.round(stepped) }, 'the wall clock was stepped');
    onClockStep?.(stepped);
    return stepped;
  };
  const works = [() => tick(step()), ...beside].map((work) => oneAtATime(work, log));
  const beat = (): void => {
    for (const work of works) work.begin();
  };
  return {
    start: () => {
      timer ??= setInterval(beat, TICK_MS);
      beat();
    },
    stop: async () => {
      clearInterval(timer);
      await Promise.all(works.map((work) => work.ended()));
    },
  };
}

/** Work that is not begun again while it runs. */
function oneAtATime(work: () => Promise<void>, log: Log) {
  let running: Promise<void> | null = null;
  return {
    begin(): void {
      running ??= work()
        .catch((error: unknown) => log.error({ err: error }, 'tick failed'))
        .finally(() => {
          running = null;
        });
    },
    async ended(): Promise<void> {
      await running;
    },
  };
}
