// One slice: a target under load for some seconds, and what that cost.
import { join } from 'node:path';
import { output, type RunningChild } from './child.ts';
import type { LoadJob, LoadResult } from './load-job.ts';
import { cpuSecondsOfAll, residentBytesOfAll } from './process-figures.ts';
import type { Installation } from './seed.ts';
import { countActivations, countUsage } from './stored-rows.ts';
import type { Target } from './targets.ts';

/** Figures of one slice, or medians of several. */
export interface Figures {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU of the server in per cent of one core. */
  cpuPercent: number;
  residentMb: number;
  clientCpuPercent: number;
  /** Wrong answers of a reference; anything else has none. */
  wrong: number;
}

export interface SliceOptions {
  seconds: number;
  connections: number;
  wrk: boolean;
  /** Paces the load; without it the server is saturated. */
  perSecond?: number;
}

const GRACE_SECONDS = 60;
let slices = 0;

/**
 * Loads a running target.
 *
 * @throws Error when no answer was right or, unless the target is a reference, any was wrong, and when the database
 *   does not hold exactly what was acknowledged
 */
export async function runSlice(
  target: Target,
  server: RunningChild,
  installation: Installation,
  { seconds, connections, wrk, perSecond }: SliceOptions,
): Promise<Figures> {
  slices += 1;
  const tag = `bench-${process.pid}-${slices}`;
  const job: LoadJob = {
    url: server.url,
    load: target.load,
    connections,
    seconds,
    perSecond,
    fixtures: installation.fixtures,
    tag,
  };
  const script = perSecond !== undefined ? 'load-paced.ts' : wrk ? 'load-wrk.ts' : 'load.ts';
  const cpuBefore = cpuSecondsOfAll(server.pid);
  const printed = await output(
    process.execPath,
    [join(import.meta.dirname, script), JSON.stringify(job)],
    (seconds + GRACE_SECONDS) * 1000,
  );
  const cpuUsed = cpuSecondsOfAll(server.pid) - cpuBefore;
  const result = JSON.parse(printed) as LoadResult;
  await check(target, installation, tag, result);
  return {
    requestsPerSecond: result.acknowledged / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuPercent: (cpuUsed / result.seconds) * 100,
    residentMb: residentBytesOfAll(server.pid) / 1e6,
    clientCpuPercent: result.clientCpuPercent,
    wrong: result.wrong,
  };
}

async function check(
  target: Target,
  { databaseUrl }: Installation,
  tag: string,
  result: LoadResult,
): Promise<void> {
  const { acknowledged, wrong, cutOff } = result;
  if (acknowledged === 0 || (wrong > 0 && !target.isReference)) {
    throw new Error(`${target.name}: ${wrong} wrong answers beside ${acknowledged} right ones`);
  }
  // Of what a reference answered wrongly nobody knows whether it is stored.
  if (wrong > 0) return;
  const countStored = { activate: countActivations, 'record-usage': countUsage }[target.load as 'activate'];
  if (!countStored) return;
  const stored = await countStored(databaseUrl, tag);
  if (stored < acknowledged || stored > acknowledged + cutOff) {
    throw new Error(`${target.name}: ${acknowledged} writes were acknowledged, ${stored} are stored`);
  }
}
