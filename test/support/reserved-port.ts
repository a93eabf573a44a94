// A port for a server that listens later, or goes and comes back.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { freePort } from './command-blocks.ts';

const LOWEST = 10_000;
const LOCAL_PORTS = '/proc/sys/net/ipv4/ip_local_port_range';

/**
 * A port of 127.0.0.1 that nobody listens on, and that the kernel gives to nobody who asks for any: neither a connection
 * nor another server of this machine takes it before it is needed.
 */
export async function reservedPort(): Promise<number> {
  const highest = firstLocalPort();
  // Where the range is unknown, or leaves nothing below it, any port has to do.
  if (highest <= LOWEST) return freePort();
  for (;;) {
    const wanted = randomInt(LOWEST, highest);
    if ((await freePort(wanted)) === wanted) return wanted;
  }
}

function firstLocalPort(): number {
  try {
    return Number.parseInt(readFileSync(LOCAL_PORTS, 'utf8'), 10);
  } catch {
    return 0;
  }
}
