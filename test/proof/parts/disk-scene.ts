// The inside of R16: played in a process with mounts of its own. Its argument is a DiskOrder as JSON, and the last line
// that it prints an Outcome.
import { playFullData } from './disk-data.ts';
import { playFullDisk } from './disk-full.ts';
import type { DiskOrder } from './disk-order.ts';
import type { Outcome } from './proof.ts';

async function play(order: DiskOrder): Promise<Outcome> {
  if (order.plant === 'leaves-a-part') return playFullData(order);
  const full = await playFullDisk(order);
  if (order.kind === 'sqlite' || order.plant !== null) return full;
  const files = await playFullData(order);
  const named = Object.entries(files.figures).map(([name, value]) => [`files_${name}`, value]);
  return {
    figures: { ...full.figures, ...Object.fromEntries(named) },
    passed: full.passed && files.passed,
    notes: [...full.notes, ...files.notes],
  };
}

// Servers that it has started end with it.
process.once('SIGTERM', () => process.exit(130));

const order = JSON.parse(process.argv[2] ?? '') as DiskOrder;
const outcome = await play(order);
process.stdout.write(`${JSON.stringify(outcome)}\n`);
