// What happens to the wall clock of one installation, and everything that is seen meanwhile. Times of this file without
// a name are seconds since the scene began, by the monotonic clock.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './client.ts';
import type { WallClock } from './faketime.ts';
import type { Reader } from './reader.ts';

/** What happens to the clock. */
export interface Scene {
  name: string;
  /** ISO 8601 UTC; absent: the scene begins at the right time. */
  startsAt?: string;
  timeZone?: string;
  /** The clock is moved by `by` seconds. */
  steps: readonly { at: number; by: number }[];
  lasts: number;
  /** How many leases and licenses end by then. */
  ends: number;
  /** Nothing ends before; in a scene without a step, when the shortest lease does. */
  endsFrom: number;
}

/** A program on the stage. */
export interface Actor {
  clock: WallClock;
  reader: Reader;
  /** Seconds between two runs of each job that is watched. */
  intervals: Readonly<Record<string, number>>;
  /** Jobs that end things by time and so wait for an interval after a step ahead. */
  waiting: ReadonlySet<string>;
  /** Seconds of a window of the limit. */
  windowSeconds: number;
  /** A request that counts for a limit, from an address that stands for a client. */
  probe(from: string): Promise<Answer>;
  /** Uses up the limit of an address. */
  exhaust(from: string): Promise<Answer[]>;
  output(): string;
}

/** Something and when it was first seen. */
interface Sighting {
  name: string;
  at: number;
}

/** What was seen. */
export interface Seen {
  steps: { at: number; by: number }[];
  /** Each run of each job. */
  runs: Sighting[];
  /** When a job is due next, at the end: seconds from then by the program's own clock. */
  dueIn: Map<string, number>;
  /** Events, one entry each; `of` tells what may have only one of them. */
  events: (Sighting & { of: string })[];
  answers: Answer[];
  /** Answers to clients that had used up their limit before a step, one window after it. */
  later: Answer[];
  lasted: number;
}

const SAMPLE_MS = 250;
const PROBE_MS = 1000;
/** A window has ended by then, on a busy machine too. */
const WINDOW_SLACK = 1;
const EXHAUST_BEFORE = 1;

/** Plays a scene to its end. */
export async function play(scene: Scene, actor: Actor): Promise<Seen> {
  const from = performance.now();
  const now = (): number => (performance.now() - from) / 1000;
  const seen: Seen = {
    steps: [],
    runs: [],
    dueIn: new Map(),
    events: [],
    answers: [],
    later: [],
    lasted: 0,
  };
  const until = (at: number): Promise<void> => sleep(Math.max(0, at - now()) * 1000);
  const watch = createWatch(actor, seen, now);
  const repeat = async (ms: number, look: () => Promise<void>): Promise<void> => {
    while (now() < scene.lasts) {
      await look();
      await sleep(ms);
    }
  };
  await Promise.all([
    stepThrough(scene, actor, seen, until, now),
    repeat(SAMPLE_MS, watch),
    repeat(PROBE_MS, async () => void seen.answers.push(await actor.probe('127.0.1.1'))),
  ]);
  seen.lasted = now();
  await noteSchedule(actor, seen);
  return seen;
}

async function stepThrough(
  { steps }: Scene,
  { clock, exhaust, probe, windowSeconds }: Actor,
  seen: Seen,
  until: (at: number) => Promise<void>,
  now: () => number,
): Promise<void> {
  for (const [i, { at, by }] of steps.entries()) {
    const client = `127.0.1.${2 + i}`;
    await until(at - EXHAUST_BEFORE);
    seen.answers.push(...(await exhaust(client)));
    await until(at);
    clock.step(by);
    seen.steps.push({ at: now(), by });
    seen.answers.push(await probe(client));
    await until(now() + windowSeconds + WINDOW_SLACK);
    seen.later.push(await probe(client));
  }
}

interface JobRow {
  name: string;
  /** When the last run that has ended began. */
  last_run_at: string | null;
  next_due: string;
}

const JOBS = 'SELECT name, last_run_at, next_due FROM scheduled_jobs';

/** Notes what is new since the last look. */
function createWatch({ reader, intervals }: Actor, seen: Seen, now: () => number): () => Promise<void> {
  const runs = new Map<string, string | null>();
  const events = new Set<string>();
  let isFirst = true;
  return async () => {
    for (const row of await reader.all<JobRow>(JOBS)) {
      const run = row.last_run_at;
      if (!isFirst && row.name in intervals && runs.get(row.name) !== run)
        seen.runs.push({ name: row.name, at: now() });
      runs.set(row.name, run);
    }
    const rows = await reader.all<{ id: string; type: string; subject: string; data: string }>(
      "SELECT id, type, subject, data FROM events WHERE type IN ('LEASE_EXPIRED', 'LICENSE_EXPIRED', 'HEARTBEAT_MISSED')",
    );
    for (const { id, type, subject, data } of rows) {
      if (events.has(id)) continue;
      events.add(id);
      const { activationId, validUntil, machineId } = JSON.parse(data).details;
      seen.events.push({
        name: type,
        at: now(),
        of: `${type} ${subject} ${activationId ?? validUntil ?? machineId}`,
      });
    }
    isFirst = false;
  };
}

async function noteSchedule({ reader, clock, intervals }: Actor, seen: Seen): Promise<void> {
  for (const { name, next_due } of await reader.all<JobRow>(JOBS)) {
    if (name in intervals) seen.dueIn.set(name, (Date.parse(next_due) - clock.nowMs()) / 1000);
  }
}
