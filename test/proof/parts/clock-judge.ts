// Judges what was seen while the wall clock was wrong.
import type { Answer } from './client.ts';
import type { Actor, Scene, Seen } from './clock-scene.ts';
import { Complaints } from './proof.ts';

/** Two ticks of the program's own ticker. */
const TICKS = 2;
/** How late it may be seen on a busy machine. */
const SLACK = 3;
/** From here a step is told in the log, and from there on jobs that end things wait (M20). */
const LOGGED_FROM = 60;
const WAITED_FROM = 600;

/** What all scenes have found. */
export class ClockTally {
  runs = 0;
  steps = 0;
  answers = 0;
  readonly paused = new Complaints();
  readonly hasty = new Complaints();
  readonly early = new Complaints();
  readonly unlogged = new Complaints();
  readonly headers = new Complaints();
  readonly repeated = new Complaints();
  readonly missing = new Complaints();

  /** Judges one scene. */
  judge(scene: Scene, actor: Actor, seen: Seen): void {
    this.runs += seen.runs.length;
    this.steps += seen.steps.length;
    this.answers += seen.answers.length + seen.later.length;
    for (const [name, seconds] of Object.entries(actor.intervals))
      this.#judgeJob(scene, actor, seen, name, seconds);
    this.#judgeEnds(scene, actor, seen);
    this.#judgeLog(scene, actor, seen);
    for (const answer of [...seen.answers, ...seen.later]) this.#judgeHeaders(scene, actor, answer);
    for (const { status } of seen.later) {
      this.headers.unless(status === 200, () => `${scene.name}: a window after a step: ${status}`);
    }
    for (const [of, { length }] of Map.groupBy(seen.events, (event) => event.of)) {
      this.repeated.unless(length === 1, () => `${scene.name}: ${length} x ${of}`);
    }
  }

  /** A job runs an interval after its last run; one that waits after a step ahead, an interval after the step. */
  #judgeJob(scene: Scene, { waiting }: Actor, seen: Seen, name: string, seconds: number): void {
    const at = seen.runs.filter((run) => run.name === name).map((run) => run.at);
    const moments = [0, ...at, seen.lasted];
    for (const [i, to] of moments.entries()) {
      const from = moments[i - 1];
      if (from === undefined) continue;
      const stepped = seen.steps.filter((step) => step.at > from - SLACK && step.at <= to);
      const waits = waiting.has(name) ? stepped.findLast(({ by }) => by > WAITED_FROM) : undefined;
      const due = (waits?.at ?? from) + seconds;
      this.paused.unless(
        to <= due + TICKS + SLACK,
        () => `${scene.name}: ${name} paused from ${from.toFixed(1)} s to ${to.toFixed(1)} s`,
      );
      const isRun = i > 1 && i < moments.length - 1;
      this.hasty.unless(
        !isRun || stepped.length > 0 || to - from > seconds - SLACK,
        () => `${scene.name}: ${name} ran again after ${(to - from).toFixed(1)} s`,
      );
    }
    const dueIn = seen.dueIn.get(name) ?? Number.NaN;
    this.paused.unless(
      dueIn <= seconds + LOGGED_FROM,
      () => `${scene.name}: ${name} is due in ${dueIn.toFixed(0)} s only`,
    );
  }

  /** After a step ahead nothing ends before the jobs that end it have waited, and then it does end. */
  #judgeEnds({ name, ends, endsFrom }: Scene, { intervals, waiting }: Actor, { events, steps }: Seen): void {
    const waits = Object.entries(intervals).filter(([job]) => waiting.has(job));
    const wait = Math.min(...waits.map(([, seconds]) => seconds));
    for (const { of, at } of events) {
      const ahead = steps.find((step) => step.by > WAITED_FROM && step.at <= at && at < step.at + wait - 1);
      const isEarly = ahead !== undefined || at < endsFrom - 1;
      this.early.unless(!isEarly, () => `${name}: ${of} at ${at.toFixed(1)} s`);
    }
    const { size } = new Set(events.map(({ of }) => of));
    this.missing.unless(size === ends, () => `${name}: ${size} of ${ends} things have ended`);
  }

  #judgeLog({ name }: Scene, { output }: Actor, { steps }: Seen): void {
    const told = output().match(/"clock_step_ms":-?\d+/g)?.length ?? 0;
    const right = steps.filter(({ by }) => Math.abs(by) > LOGGED_FROM).length;
    this.unlogged.unless(told === right, () => `${name}: ${told} of ${right} steps are in the log`);
  }

  #judgeHeaders({ name }: Scene, { windowSeconds }: Actor, { status, headers, body }: Answer): void {
    const isWhole = (value: unknown, most: number): boolean =>
      /^\d+$/.test(String(value)) && Number(value) <= most;
    const isRight =
      (status === 200 || status === 429) &&
      isWhole(headers['ratelimit-limit'], 1000) &&
      isWhole(headers['ratelimit-remaining'], Number(headers['ratelimit-limit'])) &&
      isWhole(headers['ratelimit-reset'], windowSeconds) &&
      (status === 200 || isWhole(headers['retry-after'], windowSeconds));
    this.headers.unless(isRight, () => `${name}: ${status} ${JSON.stringify(headers)} ${body}`);
  }
}
