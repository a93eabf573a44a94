import { systemClock } from '#kernel/clock.ts';
import type { Io } from './io.ts';

/** Shows on stderr how far a long piece of work is. */
export interface Progress {
  /** Sets how much is done. */
  update(done: number): void;
  /** Ends the display; call it also after a failure. */
  stop(): void;
}

const silent: Progress = { update: () => {}, stop: () => {} };
const lineEveryMs = 10_000;

/**
 * Starts a progress display: a bar on a terminal, else one plain line per 10 s.
 * @param total the amount of work in the unit of `update`; 0 when it is not known
 */
export async function startProgress(
  io: Io,
  label: string,
  total: number,
  settings: { quiet: boolean; json: boolean },
): Promise<Progress> {
  if (settings.quiet) return silent;
  if (!io.stderr.isTTY || settings.json) return plainProgress(io, label, total);
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar(
    {
      format: `${label} {bar} {percentage}% {value}/{total}`,
      stream: io.stderr,
      noTTYOutput: false,
      hideCursor: true,
    },
    progress.Presets.shades_classic,
  );
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}

function plainProgress(io: Io, label: string, total: number): Progress {
  let shownAt = systemClock.monotonicMs();
  return {
    update(done) {
      const now = systemClock.monotonicMs();
      if (now - shownAt < lineEveryMs) return;
      shownAt = now;
      const share = total > 0 ? ` of ${total} (${Math.floor((100 * done) / total)} %)` : '';
      io.stderr.write(`${label}: ${done}${share}\n`);
    },
    stop: () => {},
  };
}
