// The words after `npm run proof --`.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DatabaseKind } from './parts/proof.ts';

export interface ProofOptions {
  /** Ids of the proofs to run; empty: all. */
  names: readonly string[];
  databases: readonly DatabaseKind[];
  exe: string;
  /** Whether it is built where it is older than its sources: not the one that was named, which is proved as it is. */
  builds: boolean;
  /** From which all chance is drawn; undefined: from a number that is drawn itself. */
  rng: number | undefined;
  quick: boolean;
  /** How large the database of LARGE is; undefined: as the proof chooses. */
  megabytes: number | undefined;
  /** Where the figures are written as JSON. */
  json: string | undefined;
  /** What the file of `json` says was proved by an earlier run is not proved again. */
  continues: boolean;
}

export const usage =
  'usage: npm run proof -- [R02 ...] [--db sqlite,postgres] [--exe build/appctl] [--rng N] [--quick] [--megabytes N] [--json FILE [--continue]]';

const BUILT = join(import.meta.dirname, '../../build/appctl');
const KINDS = ['sqlite', 'postgres'] as const;
const MOST_MEGABYTES = 100_000;
export const SEEDS = 4_294_967_296;

/**
 * @param known ids of the proofs that exist
 * @throws Error naming the wrong word
 */
export function readOptions(args: readonly string[], known: readonly string[]): ProofOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      db: { type: 'string', default: KINDS.join(',') },
      exe: { type: 'string' },
      rng: { type: 'string' },
      quick: { type: 'boolean', default: false },
      megabytes: { type: 'string' },
      json: { type: 'string' },
      continue: { type: 'boolean', default: false },
    },
  });
  const names = positionals.map((name) => name.toUpperCase());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no proof ${unknown}; there are ${known.join(', ')}`);
  const databases = values.db.split(',').map((name) => {
    const kind = KINDS.find((one) => one === name);
    if (!kind) throw new Error(`--db takes ${KINDS.join(' and ')}, not ${name}`);
    return kind;
  });
  if (values.continue && values.json === undefined)
    throw new Error('--continue goes on with the file of an earlier run: name it with --json');
  const megabytes = wholeNumber(values.megabytes, 1, MOST_MEGABYTES);
  if (megabytes === null) throw new Error(`--megabytes takes a whole number from 1 to ${MOST_MEGABYTES}`);
  const rng = wholeNumber(values.rng, 0, SEEDS - 1);
  if (rng === null) throw new Error('--rng takes a whole number below 2^32');
  const { exe = BUILT, quick, json, continue: continues } = values;
  const builds = values.exe === undefined;
  return { names, databases, exe, builds, rng, quick, megabytes, json, continues };
}

/** @returns null when it is something else; undefined when it is left out */
function wholeNumber(word: string | undefined, least: number, most: number): number | null | undefined {
  if (word === undefined) return undefined;
  const found = Number(word);
  return Number.isInteger(found) && found >= least && found <= most ? found : null;
}
