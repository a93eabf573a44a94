// A server on an inherited socket as a proof's counterpart, sound or with one planted fault.
// usage: node fixture-restart.ts --ready-fd N [--break=FAULT], faults: closes-idle-connections (what Node does by
// itself), cuts-requests (ends without waiting). The socket is descriptor 3.
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { Server as NetServer } from 'node:net';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { 'ready-fd': { type: 'string' }, break: { type: 'string' } },
});
let isDraining = false;
const server = createServer({ keepAliveTimeout: 65_000 }, (_req, res) => {
  setTimeout(
    () => {
      if (isDraining) res.setHeader('Connection', 'close');
      res.end('{}');
    },
    values.break === 'cuts-requests' ? 5 : 0,
  );
});
process.once('SIGTERM', () => {
  if (values.break === 'cuts-requests') process.exit(0);
  if (values.break === 'closes-idle-connections') {
    server.close(() => process.exit(0));
    // A client that never pauses would keep it for ever.
    setTimeout(() => process.exit(0), 500);
    return;
  }
  isDraining = true;
  NetServer.prototype.close.call(server, () => process.exit(0));
  setTimeout(() => setInterval(() => server.closeIdleConnections(), 200), 1500);
});
server.listen({ fd: 3 }, () => {
  writeSync(Number(values['ready-fd']), 'ready\n');
});
