import { limitAddress } from '#kernel/http/client-address.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** The last two addresses that a machine sent heartbeats from. */
interface Addresses {
  last: string;
  before: string | null;
}

/** Machines whose addresses are remembered; beyond them the one that was silent for longest is forgotten. */
const MOST_MACHINES = 20_000;

/** The memory of one process (`ctx.memory`); unlike counters it outlives a flush. */
export const heartbeatAddresses = memoryKey<Map<string, Addresses>>('heartbeat-addresses', () => new Map());

/**
 * Notes where a heartbeat came from, and tells whether the machine came back to the address before the last one
 * (CLONED_MACHINE, D128): one that moves about goes on to new addresses, two machines with one id take turns.
 *
 * IPv4 and IPv6 are remembered apart, since one machine uses both by turns; IPv6 counts by /64, within which a
 * machine changes its address by itself (D16).
 */
export function isAlternation(
  known: Map<string, Addresses>,
  licenseId: string,
  machineId: string,
  ip: string,
): boolean {
  const address = limitAddress(ip);
  const name = `${licenseId}${ip.includes(':') ? 6 : 4}${machineId}`;
  const addresses = known.get(name);
  if (addresses?.last === address) return false;
  if (addresses) known.delete(name);
  else if (known.size >= MOST_MACHINES) forgetOldest(known);
  known.set(name, { last: address, before: addresses?.last ?? null });
  return addresses?.before === address;
}

function forgetOldest(known: Map<string, Addresses>): void {
  const oldest = known.keys().next().value;
  if (oldest !== undefined) known.delete(oldest);
}
