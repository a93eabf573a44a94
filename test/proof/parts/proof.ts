// What a proof is: figures measured on the executable, and faults that it must find before it may be believed.

import type { ProofDatabase } from './databases.ts';
import type { Random } from './random.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** cli.md section 1.8: a figure failed, a tool is missing. */
export const exits = { done: 0, failed: 6, missing: 9, usage: 2 } as const;

/** What a proof is given. */
export interface ProofBench {
  /** Absolute path of the executable. */
  exe: string;
  database: ProofDatabase;
  random: Random;
  /** A tenth of each count. */
  quick: boolean;
  /** How large a database that is filled becomes; undefined: as the proof chooses. */
  megabytes: number | undefined;
  /** A folder on a real disk that goes away after the run. */
  folder: string;
}

/** What one run found. */
export interface Outcome {
  /** In the order in which they are printed. */
  figures: Record<string, number | string>;
  passed: boolean;
  /** What was wrong, for a reader; empty when it passed. */
  notes: readonly string[];
}

/** One printed line. */
export interface Line extends Outcome {
  id: string;
  database: DatabaseKind;
  /** The planted fault, or null for the run that counts. */
  fault: string | null;
  /** PASS or FAIL; of a planted fault FOUND or VOID. */
  verdict: string;
  seconds: number;
}

/** A run that passed, or a planted fault that was found. */
export const isGood = ({ verdict }: Pick<Line, 'verdict'>): boolean =>
  verdict === 'PASS' || verdict === 'FOUND';

/** One promise of the reliability design. */
export interface Proof {
  /** `R02` */
  id: string;
  databases: readonly DatabaseKind[];
  /** Its figures are times, rates or memory: nothing else runs beside it. */
  needsQuiet?: true;
  /** About how long it takes on one database: side by side the longest begin first. Absent: less than two. */
  minutes?: number;
  /**
   * Finds out whether the tools are there.
   *
   * @throws MissingTool
   */
  requireTools(): void;
  /** Planted faults by name: each run must fail, or the proof is void. */
  faults: Readonly<Record<string, (bench: ProofBench) => Promise<Outcome>>>;
  /** The run on the executable. */
  run(bench: ProofBench): Promise<Outcome>;
}

/** A tool that a proof needs is not on this machine: never a pass (exit 9). */
export class MissingTool extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MissingTool';
  }
}

/** Keeps count of what was wrong, and of the first few cases by name. */
export class Complaints {
  count = 0;
  readonly notes: string[] = [];

  /** Counts one thing that is wrong unless `holds`. */
  unless(holds: boolean, note: () => string): void {
    if (holds) return;
    this.count += 1;
    if (this.notes.length < 10) this.notes.push(note());
  }
}

/** What is wrong stays wrong and is seen at each look, so the worst one counts. */
export const worse = (one: Complaints, other: Complaints): Complaints =>
  other.count > one.count ? other : one;
