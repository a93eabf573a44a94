// R16: a disk that is full or fails takes nothing that was acknowledged and leaves nothing half done; reads go on, and so
// does everything else when there is space again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { DiskOrder } from './parts/disk-order.ts';
import { playErrors, playIgnoredErrors } from './parts/io-errors.ts';
import type { Outcome, Proof, ProofBench } from './parts/proof.ts';
import { MOUNTS_OF_ITS_OWN, requireMounts } from './parts/small-disk.ts';
import { requireStrace } from './parts/strace.ts';

async function play(bench: ProofBench, plant: string | null): Promise<Outcome> {
  const { exe, database, folder, random, quick } = bench;
  const order: DiskOrder = { exe, kind: database.kind, folder, seed: random.below(2 ** 32), quick, plant };
  const scene = [process.execPath, join(import.meta.dirname, 'parts/disk-scene.ts'), JSON.stringify(order)];
  const [program, ...words] = MOUNTS_OF_ITS_OWN;
  const env = { ...process.env, TEST_POSTGRES_URL: '' };
  const child = spawn(program, [...words, ...scene], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [code] = await once(child, 'close');
  process.off('exit', end);
  if (code !== 0) throw new Error(`the scene of R16 ended with ${code}`);
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as Outcome;
}

/** Errors are of SQLite's own calls; those of Postgres are its own matter. */
async function run(bench: ProofBench): Promise<Outcome> {
  const full = await play(bench, null);
  if (bench.database.kind !== 'sqlite') return full;
  const failing = await playErrors(bench);
  const named = Object.entries(failing.figures).map(([name, value]) => [`io_${name}`, value]);
  return {
    figures: { ...full.figures, ...Object.fromEntries(named) },
    passed: full.passed && failing.passed,
    notes: [...full.notes, ...failing.notes],
  };
}

const plant =
  (name: string) =>
  (bench: ProofBench): Promise<Outcome> =>
    play(bench, name);

export const r16: Proof = {
  id: 'R16',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools() {
    requireMounts();
    requireStrace();
  },
  faults: {
    'answers-anyway': plant('answers-anyway'),
    'always-healthy': plant('always-healthy'),
    'needs-a-restart': plant('needs-a-restart'),
    'half-change': plant('half-change'),
    'leaves-a-part': plant('leaves-a-part'),
    'ignores-errors': playIgnoredErrors,
  },
  run,
};
