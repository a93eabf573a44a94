// The words after `npm run proof --`.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DatabaseKind } from './parts/proof.ts';

export interface ProofOptions {
  /** Ids of the proofs to run; empty: all. */
  names: readonly string[];
  databases: readonly DatabaseKind[];
  exe: string;
  /** From which all chance is drawn. */
  rng: number;
  quick: boolean;
  /** How large the database of LARGE is; undefined: as the proof chooses. */
  megabytes: number | undefined;
  /** Where the figures are written as JSON. */
  json: string | undefined;
}

export const usage =
  'usage: npm run proof -- [R02 ...] [--db sqlite,postgres] [--exe build/appctl] [--rng N] [--quick] [--megabytes N] [--json FILE]';

const KINDS = ['sqlite', 'postgres'] as const;
const MOST_MEGABYTES = 100_000;
const SEEDS = 4_294_967_296;

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
      exe: { type: 'string', default: join(import.meta.dirname, '../../build/appctl') },
      rng: { type: 'string' },
      quick: { type: 'boolean', default: false },
      megabytes: { type: 'string' },
      json: { type: 'string' },
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
  const rng = values.rng === undefined ? Math.floor(Math.random() * SEEDS) : Number(values.rng);
  if (!Number.isInteger(rng) || rng < 0 || rng >= SEEDS)
    throw new Error('--rng takes a whole number below 2^32');
  const megabytes = values.megabytes === undefined ? undefined : Number(values.megabytes);
  if (
    megabytes !== undefined &&
    !(Number.isInteger(megabytes) && megabytes >= 1 && megabytes <= MOST_MEGABYTES)
  )
    throw new Error(`--megabytes takes a whole number from 1 to ${MOST_MEGABYTES}`);
  return { names, databases, exe: values.exe, rng, quick: values.quick, megabytes, json: values.json };
}
