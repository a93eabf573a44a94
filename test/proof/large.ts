// LARGE: beside a backup of ten gigabytes no write waits, and it comes back equal; what is refused does not depend on the
// size (R12).
import { statfsSync } from 'node:fs';
import { makeScene, restoreInto, type Scene, sourceOf, type There } from './parts/backup-scene.ts';
import { openSource } from './parts/databases.ts';
import { Complaints, MissingTool, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import { openFile, openServer } from './parts/reader.ts';
import { differences, LARGE, sumsOf, type TableSums } from './parts/table-sums.ts';
import { backUpBusy, faultsOfAnySize, judgeBusy, outcomeOf } from './r12-backup.ts';

const MEGABYTES = 10_240;
const QUICK_MEGABYTES = 1024;
const FAULT_MEGABYTES = 32;
/** The database, its archive, what verifying restores, and the restored database, with their logs. */
const COPIES = 5;

/** @throws MissingTool when the disk has no room for it */
function requireRoom({ folder }: ProofBench, megabytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const needed = megabytes * COPIES;
  const free = Math.floor((bavail * bsize) / 1_048_576);
  if (free < needed)
    throw new MissingTool(`LARGE needs ${needed} MB of free disk, and ${folder} has ${free}`);
}

/** @param plant something wrong with what was restored */
async function prove(
  bench: ProofBench,
  megabytes: number,
  plant?: (there: There) => Promise<void>,
): Promise<Outcome> {
  requireRoom(bench, megabytes);
  const wrong = new Complaints();
  const scene = await makeScene(bench, megabytes);
  const busy = await backUpBusy(bench, scene, {});
  process.stderr.write(`backed up in ${busy.ms} ms; slow writes: ${busy.beside.slow.join(', ')}\n`);
  const servers = bench.database.kind === 'postgres' ? await openSource('postgres') : null;
  try {
    const url = servers ? (await servers.create('')).url : undefined;
    const there = await restoreInto(bench, scene, busy.file, { name: 'restored', url });
    await plant?.(there);
    await judgeFilled(bench, scene, await judgeBusy(bench, scene, busy, [there], wrong), wrong);
    return outcomeOf(busy, wrong, { megabytes });
  } finally {
    await servers?.stop();
  }
}

/** Nobody writes to the table that is large: all of it is there, as it is in the source. */
async function judgeFilled(
  bench: ProofBench,
  scene: Scene,
  [restored]: readonly TableSums[],
  wrong: Complaints,
): Promise<void> {
  const { table } = LARGE;
  const source = await sumsOf(sourceOf(bench, scene), table);
  const differing = differences(source, restored?.[table] ? { [table]: restored[table] } : {});
  wrong.unless(differing.length === 0, () => `differs from its source: ${differing.join(', ')}`);
}

/** One digit of the gigabytes is another one. */
async function changeDigit({ at }: There): Promise<void> {
  const reader = await (at.startsWith('postgres') ? openServer(at) : openFile(at));
  const changed = await reader.run(
    `UPDATE tasks SET error = 'x' || substr(error, 2) WHERE id = (SELECT max(id) FROM tasks)`,
  );
  await reader.close();
  if (changed === 0) throw new Error('nothing was planted');
}

export const large: Proof = {
  id: 'LARGE',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: {
    ...faultsOfAnySize,
    'changed-digit': (bench) => prove(bench, FAULT_MEGABYTES, changeDigit),
  },
  run: (bench) => prove(bench, bench.megabytes ?? (bench.quick ? QUICK_MEGABYTES : MEGABYTES)),
};
