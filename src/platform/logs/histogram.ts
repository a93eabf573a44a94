import { localClock } from '#kernel/local-time.ts';
import { barChart, type Chart } from '../charts/index.ts';
import type { LogLine } from './line.ts';

const BARS = 30;
/** Lengths of a bar that people read easily, in milliseconds. */
const STEPS = [1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400].map((seconds) => seconds * 1000);

/** How many lines there were over time, warnings and errors apart. @param lines the newest first; null for too few */
export function histogramOf(lines: readonly LogLine[]): Chart | null {
  const times = lines.map(({ at }) => Date.parse(at)).filter((time) => !Number.isNaN(time));
  const [newest, oldest] = [times[0], times.at(-1)];
  if (newest === undefined || oldest === undefined || times.length < 2) return null;
  const step = STEPS.find((one) => (newest - oldest) / one <= BARS) ?? newest - oldest;
  const start = Math.floor(oldest / step) * step;
  const count = Math.floor((newest - start) / step) + 1;
  const counts = { other: zeros(count), warn: zeros(count), error: zeros(count) };
  for (const { at, level } of lines) {
    const bar = Math.floor((Date.parse(at) - start) / step);
    const of = level === 'error' || level === 'fatal' ? 'error' : level === 'warn' ? 'warn' : 'other';
    counts[of][bar] = (counts[of][bar] ?? 0) + 1;
  }
  return barChart({
    id: 'chart-log',
    title: 'Lines over time',
    unit: 'lines',
    of: 'From',
    labels: zeros(count).map((_, at) => localClock(new Date(start + at * step))),
    series: [
      { label: 'Others', values: counts.other },
      { label: 'Warnings', values: counts.warn },
      { label: 'Errors', values: counts.error },
    ],
  });
}

const zeros = (count: number): number[] => new Array<number>(Math.max(0, count)).fill(0);
