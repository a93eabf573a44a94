// FIGURES: what is promised of the program itself: its size, its start, its memory, and what a second process brings.
import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureOne } from '../bench/program.ts';
import { judgeProgram, type Verdict } from '../bench/ratios.ts';
import { judgeWorkers, measureWorkers, ONE } from '../bench/workers.ts';
import { MissingTool, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';

const WORKERS = { licenses: 20_000, rounds: 3, seconds: 6, connections: 32, wrk: true } as const;
const QUICK = { ...WORKERS, licenses: 2000, rounds: 1, seconds: 4 } as const;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** One line of figures: `first_answer=162 ms`. */
const nameOf = ({ what }: Verdict): string => what.replace(/^[a-z]+: /, '').replaceAll(/[^a-z0-9]+/g, '_');

function outcomeOf(verdicts: readonly Verdict[]): Outcome {
  const wrong = verdicts.filter(({ ok }) => ok === false);
  return {
    figures: Object.fromEntries(verdicts.map((one) => [nameOf(one), one.measured.replaceAll(' ', '_')])),
    passed: verdicts.length > 0 && wrong.length === 0,
    notes: wrong.map(({ what, asked, measured }) => `${what}: ${measured}, asked ${asked}`),
  };
}

/** @param program that is started, instead of the executable */
async function programOf({ exe }: ProofBench, program = exe): Promise<Verdict[]> {
  const figures = await measureOne('executable', [program], say);
  if (figures.answeredMs === undefined) throw new Error('the executable was not measured');
  return judgeProgram([{ ...figures, sizeMb: statSync(exe).size / 1e6 }]);
}

/** @param cores of two processes and their client */
async function workersOf({ exe, quick }: ProofBench, cores?: string): Promise<Verdict[]> {
  const measured = { ...(quick ? QUICK : WORKERS), loads: ['validate'], exe, cores } as const;
  return judgeWorkers('sqlite', await measureWorkers('sqlite', measured, say));
}

/** Starts late, as a program would that has more to load. */
function lateProgram({ exe, folder }: ProofBench): string {
  const path = join(folder, 'late');
  writeFileSync(path, `#!/bin/sh\nsleep 0.4\nexec '${exe}' "$@"\n`, { mode: 0o755 });
  return path;
}

export const figures: Proof = {
  id: 'FIGURES',
  // How the program starts does not depend on the database, and two processes on Postgres share the cores with it.
  databases: ['sqlite'],
  needsQuiet: true,
  requireTools() {
    for (const tool of ['wrk', 'taskset'])
      if (spawnSync('which', [tool]).status !== 0)
        throw new MissingTool(`FIGURES needs ${tool}: apt-get install wrk util-linux`);
  },
  faults: {
    late: async (bench) => outcomeOf(await programOf(bench, lateProgram(bench))),
    'one-core': async (bench) => outcomeOf(await workersOf({ ...bench, quick: true }, ONE)),
  },
  run: async (bench) => outcomeOf([...(await programOf(bench)), ...(await workersOf(bench))]),
};
