// R15: a wall clock that is wrong, is set right, or shows a strange time stops no job, frees no seat early, says nothing
// twice, and makes no header absurd.
import { parallel } from './parts/client.ts';
import { SHORT_LEASE, stage } from './parts/clock-actor.ts';
import { stageFixture } from './parts/clock-fixture-actor.ts';
import { ClockTally } from './parts/clock-judge.ts';
import { play, type Scene } from './parts/clock-scene.ts';
import { findFaketime } from './parts/faketime.ts';
import type { Outcome, Proof, ProofBench } from './parts/proof.ts';

const HOURS = 3600;
const DAYS = 86_400;
/** Longer than the interval of the jobs that are due each minute, and than they may wait after a step. */
const WATCH = 75;
const STEP_AT = 5;
const BACK_AT = WATCH;
const AGAIN_AT = BACK_AT + 7;
/** Installations that are set up at the same time. */
const AT_ONCE = 3;
const FAULT_LASTS = 10;

/** The short lease ends in scenes without a step; nothing else does. */
const still = (name: string, startsAt: string, more: Partial<Scene> = {}): Scene => ({
  name,
  startsAt,
  steps: [],
  lasts: WATCH,
  ends: 1,
  endsFrom: SHORT_LEASE,
  ...more,
});

/** Ahead, and in a whole run back and ahead again: what has ended is not told a second time. */
function ahead(name: string, by: number, quick: boolean): Scene {
  const first = { at: STEP_AT, by };
  const scene = { name, ends: 2, endsFrom: STEP_AT };
  if (quick) return { ...scene, steps: [first], lasts: WATCH };
  const steps = [first, { at: BACK_AT, by: -by }, { at: AGAIN_AT, by }];
  return { ...scene, steps, lasts: AGAIN_AT + WATCH };
}

const stepped = (name: string, steps: Scene['steps']): Scene => ({
  name,
  steps,
  lasts: WATCH,
  ends: 0,
  endsFrom: 0,
});

const scenes = (quick: boolean): Scene[] => [
  ahead('2 h ahead', 2 * HOURS, quick),
  ahead('40 d ahead', 40 * DAYS, quick),
  stepped('2 h ahead for 20 s', [
    { at: STEP_AT, by: 2 * HOURS },
    { at: STEP_AT + 20, by: -2 * HOURS },
  ]),
  stepped('2 h back', [{ at: STEP_AT, by: -2 * HOURS }]),
  stepped('40 d back', [{ at: STEP_AT, by: -40 * DAYS }]),
  still('summer begins', '2026-03-29T00:59:15.000Z', { timeZone: 'Europe/Berlin' }),
  still('summer ends', '2026-10-25T00:59:15.000Z', { timeZone: 'Europe/Berlin' }),
  still('leap second', '2026-12-31T23:59:15.000Z', { steps: [{ at: 30, by: -1 }] }),
  still('2038', '2038-01-19T03:13:22.000Z'),
  still('9999', '9999-12-31T22:00:00.000Z'),
];

async function run(bench: ProofBench): Promise<Outcome> {
  const tally = new ClockTally();
  const chosen = scenes(bench.quick);
  const actors = await parallel(
    chosen.map((scene, i) => () => stage(bench, `scene-${i}`, scene)),
    AT_ONCE,
  );
  try {
    const seen = await Promise.all(chosen.map((scene, i) => play(scene, actors[i] as (typeof actors)[0])));
    for (const [i, scene] of chosen.entries()) {
      tally.judge(scene, actors[i] as (typeof actors)[0], seen[i] as (typeof seen)[0]);
    }
  } finally {
    await Promise.all(actors.map((actor) => actor.close()));
  }
  return outcomeOf(chosen.length, tally);
}

function outcomeOf(count: number, tally: ClockTally): Outcome {
  const { runs, steps, answers, ...complaints } = tally;
  const figures: Record<string, number> = { scenes: count, steps, runs, answers };
  const notes: string[] = [];
  for (const [name, found] of Object.entries(complaints)) {
    figures[name] = found.count;
    notes.push(...found.notes);
  }
  return { figures, passed: notes.length === 0, notes };
}

/** A scene for each fault in which a right program would pass. */
const fault =
  (name: string, by: number) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const tally = new ClockTally();
    const scene = { name, steps: [{ at: 2, by }], lasts: FAULT_LASTS, ends: by > 0 ? 1 : 0, endsFrom: 2 };
    const actor = await stageFixture(bench, name);
    try {
      tally.judge(scene, actor, await play(scene, actor));
    } finally {
      await actor.close();
    }
    return outcomeOf(1, tally);
  };

export const r15: Proof = {
  id: 'R15',
  databases: ['sqlite', 'postgres'],
  minutes: 4,
  requireTools: () => void findFaketime(),
  faults: {
    'waits-for-the-time': fault('waits-for-the-time', -2 * HOURS),
    'ends-at-once': fault('ends-at-once', 2 * HOURS),
    'says-nothing': fault('says-nothing', 2 * HOURS),
    'raw-reset': fault('raw-reset', 2 * HOURS),
  },
  run,
};
