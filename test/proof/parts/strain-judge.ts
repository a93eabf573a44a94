// What became of everything that clients were told while the server could not always write.
import { examine, Findings } from './inbox.ts';
import type { Installation } from './installation.ts';
import { askDoctor, examineFile, examineInvariants } from './invariants.ts';
import type { RunningServer } from './processes.ts';
import { Complaints, type Outcome } from './proof.ts';
import type { Reader } from './reader.ts';
import type { Strain } from './strain.ts';

/** What could not be done at once is tried again after a minute, and once more after several; nobody waits longer than it takes. */
const SETTLE_MS = 400_000;

export type Kind = 'lost' | 'partial' | 'wrong' | 'late';

/** Something wrong that a proof must see as what it is. */
export interface Planted {
  readonly kind: Kind;
  /** Changes the data behind the program's back, before it is looked at. */
  readonly meddle?: (reader: Reader) => Promise<unknown>;
}

/** What was found. */
export class StrainFindings {
  /** Acknowledged and not there. */
  lost = new Complaints();
  /** There in part. */
  readonly partial = new Complaints();
  /** Answers and behavior that were not promised. */
  readonly wrong = new Complaints();
  /** Too late. */
  readonly late = new Complaints();
  readonly figures: Record<string, number> = {};

  /** Keeps the largest of a figure. */
  most(name: string, value: number): void {
    this.figures[name] = Math.max(this.figures[name] ?? 0, value);
  }

  add(name: string, value: number): void {
    this.figures[name] = (this.figures[name] ?? 0) + value;
  }

  /** What clients were told. */
  addStrain({ ledger, failed, wrong, spooled, turnedAway }: Strain): void {
    this.add('acked', ledger.acked);
    this.add('failed', failed);
    this.add('spooled', spooled);
    this.add('turned_away', turnedAway);
    for (const note of wrong.notes) this.wrong.unless(false, () => note);
    this.wrong.count += wrong.count - wrong.notes.length;
  }

  /** It is the same process to the end, and ends as it is asked to. */
  async stop(server: RunningServer): Promise<void> {
    const code = await server.stop();
    this.wrong.unless(code === 0, () => `the server ended with ${code}: ${server.output().slice(-1500)}`);
  }

  /** @param kind of complaints that a planted fault must bring about; all of them when left out */
  outcome(kind?: Kind): Outcome {
    const all = { lost: this.lost, partial: this.partial, wrong: this.wrong, late: this.late };
    const counts = Object.fromEntries(Object.entries(all).map(([name, { count }]) => [name, count]));
    const notes = Object.entries(all).flatMap(([name, { notes }]) => notes.map((note) => `${name}: ${note}`));
    return {
      figures: { ...this.figures, ...counts },
      passed: kind === undefined ? notes.length === 0 : all[kind].count === 0,
      notes,
    };
  }
}

/**
 * Looks for everything that clients were told; none of them writes any more, and the server runs. Where a fault is planted
 * nobody waits for what is still to be done.
 */
export async function judgeStrain(
  found: StrainFindings,
  { installation, reader }: { installation: Installation; reader: Reader },
  strain: Strain,
  planted: Planted | null,
): Promise<void> {
  found.addStrain(strain);
  await planted?.meddle?.(reader);
  const bought = new Findings(planted === null ? SETTLE_MS : 0);
  await examine({ reader }, bought, strain.purchases);
  found.add('purchases', strain.purchases.length);
  found.lost = await strain.ledger.compare(reader);
  if (planted === null) take(found.lost, bought.lost);
  const broken = [bought.doubled, await examineInvariants(reader)];
  if (planted === null) broken.push(await askDoctor(installation));
  if (installation.launch.env.APPCTL_DATABASE_URL === undefined) broken.push(await examineFile(reader));
  for (const complaints of broken) take(found.partial, complaints);
}

function take(to: Complaints, from: Complaints): void {
  to.count += from.count;
  to.notes.push(...from.notes);
}
