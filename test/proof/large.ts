// LARGE: beside a backup of ten gigabytes no write waits, and it comes back equal; what is refused does not depend on the
// size (R12).
import { statfsSync } from 'node:fs';
import { makeScene, restoreInto } from './parts/backup-scene.ts';
import { openSource } from './parts/databases.ts';
import { Complaints, MissingTool, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import { backUpBusy, faultsOfAnySize, judgeBusy, outcomeOf } from './r12-backup.ts';

const MEGABYTES = 10_240;
const QUICK_MEGABYTES = 1024;
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

async function run(bench: ProofBench): Promise<Outcome> {
  const megabytes = bench.megabytes ?? (bench.quick ? QUICK_MEGABYTES : MEGABYTES);
  requireRoom(bench, megabytes);
  const wrong = new Complaints();
  const scene = await makeScene(bench, megabytes);
  const busy = await backUpBusy(bench, scene, {});
  process.stderr.write(`backed up in ${busy.ms} ms; slow writes: ${busy.beside.slow.join(', ')}\n`);
  const servers = bench.database.kind === 'postgres' ? await openSource('postgres') : null;
  try {
    const url = servers ? (await servers.create('')).url : undefined;
    const there = await restoreInto(bench, scene, busy.file, { name: 'restored', url });
    await judgeBusy(bench, scene, busy, [there], wrong);
    return outcomeOf(busy, wrong, { megabytes });
  } finally {
    await servers?.stop();
  }
}

export const large: Proof = {
  id: 'LARGE',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: faultsOfAnySize,
  run,
};
