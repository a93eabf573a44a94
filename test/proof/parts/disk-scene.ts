// The inside of R16: played in a process with mounts of its own. Its argument is a DiskOrder as JSON, and the last line
// that it prints an Outcome.
import { playFullDisk } from './disk-full.ts';
import type { DiskOrder } from './disk-order.ts';
import type { Outcome } from './proof.ts';
import type { Reader } from './reader.ts';

const LAST_EVENT = "SELECT max(id) FROM events WHERE type = 'LICENSE_CREATED'";
const meddles: Readonly<Record<string, (reader: Reader) => Promise<unknown>>> = {
  'half-change': (reader) => reader.run(`DELETE FROM events WHERE id = (${LAST_EVENT})`),
};

async function play(order: DiskOrder): Promise<Outcome> {
  return playFullDisk(order, meddles[order.plant ?? '']);
}

// Servers that it has started end with it.
process.once('SIGTERM', () => process.exit(130));

const order = JSON.parse(process.argv[2] ?? '') as DiskOrder;
const outcome = await play(order);
process.stdout.write(`${JSON.stringify(outcome)}\n`);
