// MANUAL: a person who follows the operators' pages on an empty Debian gets what they promise, with every command as written.
// MANUAL_PAGES=install,back-up follows these alone, and APPCTL_DEBIAN=DIR keeps the Debian for the next run.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { debianRoot, requireDebianTools } from '../support/debian-root.ts';
import { joinMachines, type Layers, type Machine, startMachine } from './parts/debian-machine.ts';
import { startBucket } from './parts/machine-bucket.ts';
import { walks } from './parts/operator-pages.ts';
import { type Edit, follow, type Stage, type Walk, type Walked } from './parts/page-walk.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Follows pages one after the other: what one leaves, later ones begin with. */
class Workshop {
  readonly #bench: ProofBench;
  readonly #stages = new Map<Stage, Layers>();
  #count = 0;

  constructor(bench: ProofBench) {
    this.#bench = bench;
    this.#stages.set('empty', [debianRoot(say)]);
  }

  /** @returns null when no page left a machine as this walk begins with */
  async walk(walk: Walk, edit: Edit): Promise<Walked | null> {
    if (!this.#stages.has(walk.begins)) return null;
    this.#count += 1;
    const place = join(this.#bench.folder, `walk-${this.#count}`);
    const shared = join(place, 'shared');
    mkdirSync(shared, { recursive: true });
    copyFileSync(this.#bench.exe, join(shared, 'appctl'));
    const machines: Machine[] = [];
    const ends: (() => void)[] = [];
    const start = async (stage: Stage, name: string): Promise<Machine> => {
      const layers = this.#stages.get(stage) as Layers;
      const machine = await startMachine(layers, { name, folder: join(place, name), shared });
      machines.push(machine);
      return machine;
    };
    try {
      const other = walk.other && (await start(walk.other.begins, 'second'));
      const broken = other && (await prepare(other, walk));
      if (broken) return broken;
      if (other !== undefined && walk.other?.headings === undefined) await machines.shift()?.stop();
      const first = await start(walk.begins, 'first');
      if (other !== undefined && walk.other?.headings !== undefined) joinMachines(first, other);
      const bucket = walk.bucket && (await startBucket(first, walk.bucket, join(place, 'bucket')));
      if (bucket) ends.push(bucket.stop);
      const walked = await follow(walk, { first, second: other }, edit);
      if (walk.leaves !== undefined && walked.failure === null) {
        this.#stages.set(walk.leaves, await first.stop());
        machines.pop();
      }
      return walked;
    } finally {
      for (const end of ends) end();
      for (const machine of machines) await machine.stop();
    }
  }
}

/** @returns what failed; null when it is ready */
async function prepare(machine: Machine, { topic, user, other }: Walk): Promise<Walked | null> {
  if (other?.before === undefined) return null;
  const { status, output } = await machine.run(user, `set -euxo pipefail\n${other.before}`);
  if (status === 0) return null;
  return { topic, commands: 0, failure: { command: 'what is done before, on the other machine', output } };
}

const asWritten: Edit = (_topic, page) => page;

async function followAll(bench: ProofBench, due: readonly Walk[], edit: Edit): Promise<Outcome> {
  const workshop = new Workshop(bench);
  const complaints = new Complaints();
  const tally = new Map<string, { commands: number; failed: number }>();
  for (const walk of due) {
    const started = performance.now();
    const walked = await workshop.walk(walk, edit);
    const seconds = Math.round((performance.now() - started) / 1000);
    say(`  ${walk.topic} followed in ${seconds} s`);
    const { commands, failed } = tally.get(walk.topic) ?? { commands: 0, failed: 0 };
    const isDone = walked !== null && walked.failure === null;
    tally.set(walk.topic, {
      commands: commands + (walked?.commands ?? 0),
      failed: failed + (isDone ? 0 : 1),
    });
    complaints.unless(isDone, () =>
      walked === null
        ? `${walk.topic}: no page left a machine that is ${walk.begins}`
        : `${walk.topic}: ${walked.failure?.command}\n${walked.failure?.output}`,
    );
  }
  const figures: Record<string, number | string> = { pages: tally.size };
  for (const [topic, { commands, failed }] of tally) {
    say(`  ${topic}: commands run ${commands}, failed ${failed}`);
  }
  figures.commands = [...tally.values()].reduce((sum, { commands }) => sum + commands, 0);
  figures.failed = complaints.count;
  return { figures, passed: complaints.count === 0, notes: complaints.notes };
}

/** These walks, and before them those that leave a machine as they begin with. */
function withWayTo(wanted: readonly Walk[]): Walk[] {
  const needed = new Set<Walk>();
  const add = (walk: Walk): void => {
    for (const stage of [walk.begins, walk.other?.begins]) {
      const before = walks.find(({ leaves }) => leaves !== undefined && leaves === stage);
      if (before !== undefined && !needed.has(before)) add(before);
    }
    needed.add(walk);
  };
  for (const walk of wanted) add(walk);
  return walks.filter((walk) => needed.has(walk));
}

/** A page with a mistake, and the pages that it needs: the mistake must be found. */
const mistaken =
  (topic: string, heading: string | null, words: string, instead: string) =>
  (bench: ProofBench): Promise<Outcome> => {
    const walk = walks.find(
      (one) => one.topic === topic && (heading === null || one.only?.includes(heading)),
    );
    if (walk === undefined) throw new Error(`no walk follows ${topic}`);
    return followAll(bench, withWayTo([walk]), (one, page) => {
      if (one !== topic) return page;
      if (!page.includes(words)) throw new Error(`the page ${topic} no longer says ${words}`);
      return page.replace(words, instead);
    });
  };

function chosen(): readonly Walk[] {
  const topics = process.env.MANUAL_PAGES?.split(',');
  return topics === undefined ? walks : withWayTo(walks.filter(({ topic }) => topics.includes(topic)));
}

export const manual: Proof = {
  id: 'MANUAL',
  databases: ['sqlite'],
  minutes: 7,
  requireTools: requireDebianTools,
  faults: {
    'mistyped-command': mistaken('install', null, 'appctl version\n', 'appctl versions\n'),
    'wrong-port': mistaken('reverse-proxy', 'With nginx', '127.0.0.1:8480;', '127.0.0.1:8481;'),
  },
  run: (bench) => followAll(bench, chosen(), asWritten),
};
