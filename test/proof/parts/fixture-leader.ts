// A node with one job as a proof's counterpart, sound or with one planted fault. Several of them share a database, and
// the one that holds the lease ends machines, one after the other.
// usage: node fixture-leader.ts serve --json --listen ADDR --url URL [--break=FAULT]
// faults: effects-without-condition, keeps-the-lease. The first words are those with which the program is started.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openServer } from './reader.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    listen: { type: 'string' },
    url: { type: 'string', default: '' },
    break: { type: 'string' },
  },
});
const LEASE_MS = values.break === 'keeps-the-lease' ? 3_600_000 : 3000;
const RENEW_MS = 1000;
const TICK_MS = 300;
const EFFECT_MS = 5;
const owner = `fixture:${process.pid}`;
const database = await openServer(values.url);
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function tick(): Promise<void> {
  const taken = await database.run(
    `UPDATE scheduled_jobs SET lock_owner = ?, locked_until = ?, fence = fence + 1
     WHERE next_due <= ? AND (locked_until IS NULL OR locked_until < ?)`,
    ...[owner, inMs(LEASE_MS), inMs(0), inMs(0)],
  );
  if (taken === 0) return;
  const renewal = setInterval(
    () =>
      void database.run(
        'UPDATE scheduled_jobs SET locked_until = ? WHERE lock_owner = ?',
        inMs(LEASE_MS),
        owner,
      ),
    RENEW_MS,
  );
  for (const { name } of await database.all<{ name: string }>(
    'SELECT name FROM machines WHERE ended_at IS NULL',
  )) {
    await endMachine(name);
    await sleep(EFFECT_MS);
  }
  clearInterval(renewal);
  await database.run(
    'UPDATE scheduled_jobs SET lock_owner = NULL, locked_until = NULL, next_due = ? WHERE lock_owner = ?',
    inMs(60_000),
    owner,
  );
}

/** The fault believes the list that it read, however long ago that was. */
async function endMachine(name: string): Promise<void> {
  const condition = values.break === 'effects-without-condition' ? '' : 'AND ended_at IS NULL';
  const ended = await database.run(
    `UPDATE machines SET ended_at = ? WHERE name = ? ${condition}`,
    inMs(0),
    name,
  );
  if (ended === 0) return;
  await database.run(
    "INSERT INTO events VALUES ('ENDED', ?::jsonb)",
    JSON.stringify({ details: { machineId: name } }),
  );
}

let isOver = false;
process.once('SIGTERM', () => {
  isOver = true;
});
process.stdout.write(`${JSON.stringify({ url: 'http://127.0.0.1:1', pid: process.pid })}\n`);
while (!isOver) {
  await tick();
  await sleep(TICK_MS);
}
await database.close();
