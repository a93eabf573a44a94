// Starts the executable, kills it under load, starts it again, and measures how long it takes to serve.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from './client.ts';
import { type Launch, type RunningServer, startServer } from './processes.ts';
import type { Random } from './random.ts';

/** Load goes on for this long before the kill, in milliseconds. */
const LOAD_MS = { least: 20, most: 220 } as const;

/** A server that answers, and how long that took. */
export interface Ready {
  server: RunningServer;
  /** Milliseconds from the start of the process to the first 200. */
  ms: number;
}

/** Starts a server and asks it until it answers. */
export async function startTimed(launch: Launch): Promise<Ready> {
  const from = performance.now();
  const server = await startServer(launch);
  const client = createClient(server.url, 1);
  try {
    const { status } = await client.ask({ path: '/api/health' });
    if (status !== 200) throw new Error(`a server that listens answered ${status}`);
    return { server, ms: performance.now() - from };
  } finally {
    client.close();
  }
}

/** Clients at work. */
export interface Load {
  /** Resolves with the first answer: a server that has just started is slow to give it. */
  begun: Promise<void>;
  /** Tells the clients to end and waits for them. */
  end(): Promise<void>;
}

/** Lets clients work on a server and kills it in the middle. */
export async function killUnderLoad(
  { kill }: RunningServer,
  random: Random,
  work: () => Load,
): Promise<void> {
  const { begun, end } = work();
  await begun;
  await sleep(LOAD_MS.least + random.below(LOAD_MS.most - LOAD_MS.least + 1));
  await kill();
  await end();
}

/** The value that `share` of all values are at most. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
}
