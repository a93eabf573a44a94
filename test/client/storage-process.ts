// One of several processes that start at once on the same storage file, as those of an application do.
// usage: node storage-process.ts FILE START_AT TIMES

import { fileStorage } from '../../src/client/file-storage.ts';
import { createMachineId } from '../../src/client/machine-id.ts';

const [, , file = '', startAt = '0', times = '0'] = process.argv;
const storage = fileStorage(file);
while (Date.now() < Number(startAt)) await new Promise((resolve) => setTimeout(resolve, 1));
const id = await createMachineId(storage);
for (let time = 0; time < Number(times); time += 1) {
  await storage.update?.('count', (value) => String(Number(value ?? 0) + 1));
  await storage.set(`own-${process.pid}`, String(time));
}
process.stdout.write(JSON.stringify({ id, own: `own-${process.pid}` }));
