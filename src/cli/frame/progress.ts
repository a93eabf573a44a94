import { systemClock } from '#kernel/clock.ts';
import { oneLine } from '../printed-text.ts';
import type { Io } from './io.ts';

/** Shows on stderr how far a long piece of work is. */
export interface Progress {
  /** Sets how much is done. */
  update(done: number): void;
  /** Ends the display; call it also after a failure. */
  stop(): void;
}

/** What the amount of work is counted in. */
export type ProgressUnit = 'count' | 'bytes';

const silent: Progress = { update: () => {}, stop: () => {} };
const lineEveryMs = 10_000;

/**
 * Starts a progress display: a bar on a terminal, else one plain line per 10 s.
 * @param total the amount of work in the unit of `update`; 0 when it is not known
 * @param settings `unit` bytes: amounts are shown as sizes, and how long the rest will take
 */
export async function startProgress(
  io: Io,
  label: string,
  total: number,
  settings: { quiet: boolean; json: boolean; unit?: ProgressUnit },
): Promise<Progress> {
  const { quiet, json, unit = 'count' } = settings;
  if (quiet) return silent;
  const amountOf = amountText[unit];
  if (!io.stderr.isTTY || json) return plainProgress(io, label, total, amountOf);
  const { default: progress } = await import('cli-progress');
  const rest = unit === 'bytes' ? ', {eta_formatted} left' : '';
  const bar = new progress.SingleBar(
    {
      format: total > 0 ? `${label} {bar} {percentage}% {value}/{total}${rest}` : `${label} {value}`,
      formatValue: (value, _options, type) =>
        type === 'value' || type === 'total' ? amountOf(value) : String(value),
      stream: io.stderr,
      noTTYOutput: false,
      hideCursor: true,
    },
    progress.Presets.shades_classic,
  );
  // Of an amount that is not known there is nothing to show before the first step.
  let isShown = total > 0;
  if (isShown) bar.start(total, 0);
  const forget = onInterrupt(() => isShown && bar.stop());
  return {
    update(done) {
      if (!isShown) bar.start(total, done);
      isShown = true;
      bar.update(done);
    },
    stop() {
      forget();
      if (isShown) bar.stop();
    },
  };
}

/**
 * Restores the terminal, whose cursor and line wrapping a bar switches off, when a signal ends the command. A command
 * that listens to the signal itself goes on with its bar.
 *
 * @returns ends the listening
 */
function onInterrupt(restore: () => unknown): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const forget = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    forget();
    restore();
    process.kill(process.pid, signal);
  };
  // First of all: one that takes itself off the list must have been counted.
  for (const signal of signals) process.prependListener(signal, end);
  return forget;
}

const amountText: Record<ProgressUnit, (amount: number) => string> = { count: String, bytes: sizeText };

function plainProgress(io: Io, label: string, total: number, amountOf: (amount: number) => string): Progress {
  let shownAt = systemClock.monotonicMs();
  return {
    update(done) {
      const now = systemClock.monotonicMs();
      if (now - shownAt < lineEveryMs) return;
      shownAt = now;
      const share = total > 0 ? ` of ${amountOf(total)} (${Math.floor((100 * done) / total)}%)` : '';
      io.stderr.write(`${oneLine(label)}: ${amountOf(done)}${share}\n`);
    },
    stop: () => {},
  };
}

const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for a person, in steps of a thousand: `999 B`, `12.3 MB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  // From 999.95 on, one digit after the point would show the next unit's 1.
  while (size >= 999.95 && unit < SIZE_UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${SIZE_UNITS[unit]}`;
}
