// A second process beside a server, as a command is one: opens the installation that the environment names and takes
// part in the fight for seats. Each line of stdin is a SeatWork; each is answered with its Tally.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { checkin, checkout } from '#licensing/licenses/seats/index.ts';
import { openInstance } from '../../src/app/instance.ts';
import { type SeatCall, type SeatWork, useSeats } from './seat-workers.ts';

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const instance = await openInstance({ config, log, mode: 'use' });

const callFor =
  (licenseKey: string): SeatCall =>
  async (action, machineId) => {
    try {
      await (action === 'checkout' ? checkout : checkin)(instance.ctx, { licenseKey, machineId });
      return 'done';
    } catch (error) {
      return error instanceof AppError ? error.code : String(error);
    }
  };

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as SeatWork;
  process.stdout.write(`${JSON.stringify(await useSeats(callFor(work.licenseKey), work))}\n`);
}
await instance.close();
