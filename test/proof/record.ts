// What a run found, in the file of `--json`: kept whenever a proof has ended on a database, and gone on with by `--continue`.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type DatabaseKind, isGood, type Line, type Proof } from './parts/proof.ts';

/** What lines depend on: those of another executable, or of other counts, say nothing about this one. */
export interface Terms {
  /** Of the executable. */
  readonly sha256: string;
  readonly rng: number;
  readonly quick: boolean;
  /** null: as the proof chooses. */
  readonly megabytes: number | null;
}

/** What is asked of a record that is gone on with. */
export interface Asked extends Omit<Terms, 'rng'> {
  /** undefined: the one that the run began with. */
  readonly rng: number | undefined;
}

/** A file cannot be gone on with; the message names the cure. */
export class WrongRecord extends Error {
  constructor(file: string, why: string) {
    super(`--continue cannot go on with ${file}: ${why}`);
    this.name = 'WrongRecord';
  }
}

/** The lines of a run. */
export class RunRecord {
  readonly terms: Terms;
  readonly #file: string | undefined;
  #lines: readonly Line[];

  /** @param file where it is kept from now on; undefined: nowhere */
  constructor(file: string | undefined, terms: Terms, lines: readonly Line[] = []) {
    this.#file = file;
    this.terms = terms;
    this.#lines = lines;
    this.#keep();
  }

  get lines(): readonly Line[] {
    return this.#lines;
  }

  /** Adds what was found now; older lines of the same proof on the same database go. */
  add(found: readonly Line[]): void {
    const isOld = (line: Line): boolean =>
      found.some(({ id, database }) => id === line.id && database === line.database);
    this.#lines = [...this.#lines.filter((line) => !isOld(line)), ...found];
    this.#keep();
  }

  /** Whether the proof passed on this database and found each fault that it has now. */
  has({ id, faults }: Proof, kind: DatabaseKind): boolean {
    const mine = this.#lines.filter((line) => line.id === id && line.database === kind);
    return [null, ...Object.keys(faults)].every((fault) =>
      mine.some((line) => line.fault === fault && isGood(line)),
    );
  }

  /** Renamed into its place: a run that is ended meanwhile leaves the whole of it. */
  #keep(): void {
    if (this.#file === undefined) return;
    const text = JSON.stringify({ ...this.terms, lines: this.#lines }, null, 2);
    writeFileSync(`${this.#file}.new`, `${text}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/**
 * Reads what an earlier run found.
 *
 * @throws WrongRecord when it is no such file, or its lines are about something else than what is asked for
 */
export function readRecord(file: string, asked: Asked): RunRecord {
  const { lines, ...terms } = parse(file);
  if (terms.sha256 !== asked.sha256)
    throw new WrongRecord(
      file,
      'it is about another executable; name that one with --exe, or leave out --continue to begin anew',
    );
  const { quick, megabytes, rng } = asked;
  if (terms.quick !== quick)
    throw new WrongRecord(file, terms.quick ? 'it was begun with --quick; add it' : 'leave out --quick');
  if (terms.megabytes !== megabytes) throw new WrongRecord(file, `${cureOf('--megabytes', terms.megabytes)}`);
  if (rng !== undefined && terms.rng !== rng)
    throw new WrongRecord(file, `${cureOf('--rng', terms.rng)}, or leave it out`);
  return new RunRecord(file, terms, lines);
}

const cureOf = (word: string, begun: number | null): string =>
  begun === null
    ? `it was begun without ${word}; leave it out`
    : `it was begun with ${word} ${begun}; say so`;

function parse(file: string): Terms & { lines: readonly Line[] } {
  if (!existsSync(file))
    throw new WrongRecord(file, 'it does not exist; leave out --continue for the first run');
  const text = readFileSync(file, 'utf8');
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // Judged below, as anything else that no run has written.
  }
  if (!isRecord(found))
    throw new WrongRecord(file, 'no run has written it; leave out --continue to begin anew in its place');
  return found;
}

function isRecord(found: unknown): found is Terms & { lines: readonly Line[] } {
  if (typeof found !== 'object' || found === null) return false;
  const { sha256, rng, quick, megabytes, lines } = found as Partial<Record<string, unknown>>;
  return (
    typeof sha256 === 'string' &&
    typeof rng === 'number' &&
    typeof quick === 'boolean' &&
    (megabytes === null || typeof megabytes === 'number') &&
    Array.isArray(lines) &&
    lines.every(isLine)
  );
}

function isLine(found: unknown): found is Line {
  if (typeof found !== 'object' || found === null) return false;
  const { id, database, fault, verdict } = found as Partial<Record<string, unknown>>;
  return (
    [id, database, verdict].every((one) => typeof one === 'string') &&
    (fault === null || typeof fault === 'string')
  );
}

/** Tells executables apart. */
export const digestOf = (exe: string): string => createHash('sha256').update(readFileSync(exe)).digest('hex');
