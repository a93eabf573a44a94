// The fixture with a planted fault as it plays in a scene; its tables are the program's own as far as a watch looks.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createClient } from './client.ts';
import type { Staged } from './clock-actor.ts';
import { createWallClock } from './faketime.ts';
import { startServer } from './processes.ts';
import type { ProofBench } from './proof.ts';
import { openFile } from './reader.ts';

const INTERVAL = 2;
const TABLES = `
  CREATE TABLE scheduled_jobs (name TEXT, last_run_at TEXT, next_due TEXT);
  CREATE TABLE events (id TEXT, type TEXT, subject TEXT, data TEXT);
  CREATE TABLE leases (id TEXT, ends_ms INTEGER);
  PRAGMA journal_mode = WAL`;

/** A program with one job, and a lease of an hour that it ends. */
export async function stageFixture({ folder }: ProofBench, fault: string): Promise<Staged> {
  const file = join(folder, 'clock.db');
  const clock = createWallClock(folder);
  const made = new Database(file);
  made.exec(TABLES);
  made.prepare("INSERT INTO scheduled_jobs VALUES ('lease-expiry', NULL, ?)").run(new Date().toISOString());
  made.prepare("INSERT INTO leases VALUES ('hour', ?)").run(clock.nowMs() + 3_600_000);
  made.close();
  const launch = {
    exe: join(import.meta.dirname, 'fixture-clock.ts'),
    cwd: folder,
    env: clock.env,
    prefix: [process.execPath],
  };
  const words = ['--file', file, '--interval', String(INTERVAL), '--window', String(INTERVAL)];
  const server = await startServer(launch, [...words, `--break=${fault}`]);
  const client = createClient(server.url, 6);
  const reader = await openFile(file);
  const probe: Staged['probe'] = (from) => client.ask({ path: '/', from });
  return {
    clock,
    reader,
    intervals: { 'lease-expiry': INTERVAL },
    waiting: new Set(['lease-expiry']),
    windowSeconds: INTERVAL,
    probe,
    exhaust: (from) => Promise.all(Array.from({ length: 6 }, () => probe(from))),
    output: server.output,
    async close() {
      client.close();
      await reader.close();
      await server.stop();
    },
  };
}
