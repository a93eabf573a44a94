import { Counter, Gauge, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Ctx } from '../context.ts';
import type { MetricGroup, Sample } from '../metric.ts';
import { isOn } from '../settings-reader.ts';

/** Several servers and a person may ask at once: what was read counts for a while. */
const FRESH_MS = 10_000;
/** What took long is read less often, so that reading takes a hundredth of the time at most. */
const REST_TIMES = 100;
/** Prometheus gives up after ten seconds by default, and would then see nothing of the process either. */
const LONGEST_MS = 5_000;

interface Reading {
  readonly group: MetricGroup;
  readonly values: Readonly<Record<string, readonly Sample[]>>;
  readonly untilMs: number;
}

interface ReaderOptions {
  ctx: Ctx;
  clock: Clock;
  /** Told once of a reading that failed in part, or that took too long. */
  onFailure(error: unknown): void;
  /** After which the answer is given without what has not been read. */
  longestMs?: number;
}

/** Reads what capabilities declare (`Capability.metrics`). */
export interface MetricReader {
  /**
   * Reads what is not fresh. Nothing is asked again before it was answered: servers that ask on while the database
   * hangs take one connection for each group and no more.
   *
   * @returns the values as a registry; a group that could not be read is missing in it rather than wrong
   */
  read(): Promise<Registry>;
}

export function createMetricReader(
  groups: readonly MetricGroup[],
  { ctx, clock, onFailure, longestMs = LONGEST_MS }: ReaderOptions,
): MetricReader {
  const readings = new Map<MetricGroup, Reading>();
  const underWay = new Map<MetricGroup, Promise<void>>();
  const readNow = async (group: MetricGroup): Promise<void> => {
    const startedMs = clock.monotonicMs();
    const values = await group.read(ctx);
    readings.set(group, { group, values, untilMs: restsUntil(group, startedMs, clock.monotonicMs()) });
  };
  const readGroup = (group: MetricGroup): Promise<void> => {
    if (isFresh(readings.get(group), clock)) return Promise.resolve();
    readings.delete(group);
    if (!isOn(group, ctx)) return Promise.resolve();
    const reading = underWay.get(group) ?? readNow(group).finally(() => underWay.delete(group));
    underWay.set(group, reading);
    return reading;
  };
  return {
    async read() {
      const failure = await inTime(groups.map(readGroup), longestMs);
      if (failure !== undefined) onFailure(failure);
      return registryOf(groups.flatMap((group) => readings.get(group) ?? []));
    },
  };
}

const isFresh = (reading: Reading | undefined, clock: Clock): boolean =>
  reading !== undefined && clock.monotonicMs() < reading.untilMs;

/** What lies in memory costs nothing, and is read each time. */
const restsUntil = ({ type }: MetricGroup, startedMs: number, endedMs: number): number =>
  type === 'counter' ? startedMs : endedMs + Math.max(FRESH_MS, REST_TIMES * (endedMs - startedMs));

/** Waits for all of it, but no longer. @returns the first failure: where the database is away, all of them fail */
async function inTime(work: readonly Promise<void>[], longestMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`no answer within ${longestMs} ms`)), longestMs);
  });
  const ended = Promise.allSettled(work).then((all) => all.find(({ status }) => status === 'rejected'));
  const first = await Promise.race([ended, late]);
  clearTimeout(timer);
  return first instanceof Error ? first : (first as PromiseRejectedResult | undefined)?.reason;
}

/** Made anew for each answer: what is no longer there must not stay as it last was. */
function registryOf(readings: readonly Reading[]): Registry {
  const registers = [new Registry()];
  for (const { group, values } of readings) {
    for (const [name, { help, labels = [] }] of Object.entries(group.metrics)) {
      const Type = group.type === 'counter' ? Counter : Gauge;
      const metric = new Type({ name, help, labelNames: labels, registers });
      for (const sample of values[name] ?? []) metric.inc(sample.labels ?? {}, sample.value);
    }
  }
  return registers[0] as Registry;
}
