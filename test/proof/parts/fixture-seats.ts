// A server that lends seats as a proof's counterpart, with one planted fault: it counts the seats in use, and takes one
// in a second step. Several of them share a database.
// usage: node fixture-seats.ts serve --json --listen ADDR (--file FILE | --url URL) --seats N
// The first words are those with which the program is started.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openFile, openServer } from './reader.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    listen: { type: 'string' },
    file: { type: 'string', default: '' },
    url: { type: 'string' },
    seats: { type: 'string', default: '10' },
  },
});
const database = values.url === undefined ? await openFile(values.file) : await openServer(values.url);
const live = 'ended_at IS NULL AND license_id = ?';

async function take(licenseId: string, machineId: string): Promise<boolean> {
  const rows = await database.all<{ machine_id: string }>(
    `SELECT machine_id FROM license_activations WHERE ${live}`,
    licenseId,
  );
  if (rows.some((row) => row.machine_id === machineId)) return true;
  if (rows.length >= Number(values.seats)) return false;
  await sleep(2);
  await database.run(
    'INSERT INTO license_activations (license_id, machine_id, ended_at) VALUES (?, ?, NULL)',
    licenseId,
    machineId,
  );
  return true;
}

const giveBack = (licenseId: string, machineId: string): Promise<number> =>
  database.run(
    `UPDATE license_activations SET ended_at = 'now' WHERE ${live} AND machine_id = ?`,
    licenseId,
    machineId,
  );

const server = createServer(async (req, res) => {
  let text = '';
  for await (const chunk of req) text += chunk;
  // The key of a license is its id here.
  const { key, licenseKey = key, machineId } = JSON.parse(text);
  const isDone = req.url?.endsWith('/checkin')
    ? (await giveBack(licenseKey, machineId)) > 0
    : await take(licenseKey, machineId);
  res.writeHead(isDone ? 200 : 400, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(isDone ? { success: true } : { error: { code: 'SEAT_LIMIT_REACHED' } }));
});
process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await database.close();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid })}\n`);
});
