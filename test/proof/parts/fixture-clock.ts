// A program with one job, one lease and one limit as a proof's counterpart, sound or with one planted fault.
// usage: node fixture-clock.ts serve --json --listen ADDR --file FILE --interval SECONDS --window SECONDS [--break=FAULT]
// faults: waits-for-the-time, ends-at-once, says-nothing, raw-reset. The first words are those with which the program is
// started.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { openFile } from './reader.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    listen: { type: 'string' },
    file: { type: 'string', default: '' },
    interval: { type: 'string', default: '2' },
    window: { type: 'string', default: '2' },
    break: { type: 'string' },
  },
});
const intervalMs = Number(values.interval) * 1000;
const windowMs = Number(values.window) * 1000;
const database = await openFile(values.file);

let dueMs = Date.now();
let [lastWall, lastMonotonic] = [Date.now(), performance.now()];

function stepMs(): number {
  const [wall, monotonic] = [Date.now(), performance.now()];
  const stepped = wall - lastWall - (monotonic - lastMonotonic);
  [lastWall, lastMonotonic] = [wall, monotonic];
  return stepped;
}

async function tick(): Promise<void> {
  const stepped = stepMs();
  if (Math.abs(stepped) > 60_000 && values.break !== 'says-nothing')
    process.stderr.write(`{"clock_step_ms":${Math.round(stepped)}}\n`);
  if (stepped > 600_000 && values.break !== 'ends-at-once') dueMs = Date.now() + intervalMs;
  if (dueMs > Date.now() + intervalMs && values.break !== 'waits-for-the-time') dueMs = Date.now();
  if (dueMs <= Date.now()) await endLeases();
}

async function endLeases(): Promise<void> {
  const now = Date.now();
  for (const { id } of await database.all<{ id: string }>('SELECT id FROM leases WHERE ends_ms <= ?', now)) {
    await database.run('DELETE FROM leases WHERE id = ?', id);
    const data = JSON.stringify({ details: { activationId: id } });
    await database.run(
      "INSERT INTO events VALUES (?, 'LEASE_EXPIRED', 'license', ?)",
      `event of ${id}`,
      data,
    );
  }
  dueMs = now + intervalMs;
  await database.run(
    'UPDATE scheduled_jobs SET last_run_at = ?, next_due = ?',
    new Date(now).toISOString(),
    new Date(dueMs).toISOString(),
  );
}

const windowsMs = new Map<string, { startedMs: number; endsMs: number; used: number }>();

const server = createServer((req, res) => {
  const client = req.socket.remoteAddress ?? '';
  let window = windowsMs.get(client);
  if (!window || performance.now() - window.startedMs >= windowMs) {
    window = { startedMs: performance.now(), endsMs: Date.now() + windowMs, used: 0 };
    windowsMs.set(client, window);
  }
  window.used += 1;
  const leftMs =
    values.break === 'raw-reset'
      ? window.endsMs - Date.now()
      : windowMs - (performance.now() - window.startedMs);
  const reset = Math.ceil(leftMs / 1000);
  res.writeHead(window.used > 5 ? 429 : 200, {
    'RateLimit-Limit': 5,
    'RateLimit-Remaining': Math.max(0, 5 - window.used),
    'RateLimit-Reset': reset,
    'Retry-After': reset,
  });
  res.end();
});
const ticking = setInterval(() => void tick(), 200);
process.once('SIGTERM', async () => {
  clearInterval(ticking);
  server.close();
  server.closeAllConnections();
  await database.close();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid })}\n`);
});
