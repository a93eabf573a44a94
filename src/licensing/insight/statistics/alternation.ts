import type { Ctx } from '#kernel/context.ts';
import { limitAddress } from '#kernel/http/client-address.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** The last two addresses that a machine sent heartbeats from. */
interface Addresses {
  last: string;
  before: string | null;
}

/** Machines whose addresses are remembered; beyond them the one that was silent for longest is forgotten. */
const MOST_MACHINES = 20_000;

/** The memory of one process (`ctx.memory`); unlike counters it outlives a flush. */
const heartbeatAddresses = memoryKey<Map<string, Addresses>>('heartbeat-addresses', () => new Map());

/** A machine that sent a heartbeat from another address than the last one. */
interface Change {
  readonly machine: string;
  readonly address: string;
}

const CHANGE = 'heartbeat from another address';

/**
 * Notes where a heartbeat came from, and tells whether the machine came back to the address before the last one
 * (CLONED_MACHINE, D128): one that moves about goes on to new addresses, two machines with one id take turns. The
 * processes that serve together with this one hear of a change, so that the two may come by different ones.
 *
 * IPv4 and IPv6 are remembered apart, since one machine uses both by turns; IPv6 counts by /64, within which a
 * machine changes its address by itself (D16).
 */
export function isAlternation(ctx: Ctx, licenseId: string, machineId: string, ip: string): boolean {
  const machine = `${licenseId}${ip.includes(':') ? 6 : 4}${machineId}`;
  const change = { machine, address: limitAddress(ip) };
  const came = note(ctx, change);
  if (came !== 'same') othersOf(ctx).tell(CHANGE, change);
  return came === 'back';
}

/** Learns what heartbeats other processes of the server had. */
export function hearAddresses(ctx: Ctx): void {
  othersOf(ctx).on<Change>(CHANGE, (change) => void note(ctx, change));
}

/** @returns whether the machine is where it was, came back to where it was before, or moved on */
function note({ memory }: Pick<Ctx, 'memory'>, { machine, address }: Change): 'same' | 'back' | 'on' {
  const known = memory.of(heartbeatAddresses);
  const addresses = known.get(machine);
  if (addresses?.last === address) return 'same';
  if (addresses) known.delete(machine);
  else if (known.size >= MOST_MACHINES) forgetOldest(known);
  known.set(machine, { last: address, before: addresses?.last ?? null });
  return addresses?.before === address ? 'back' : 'on';
}

function forgetOldest(known: Map<string, Addresses>): void {
  const oldest = known.keys().next().value;
  if (oldest !== undefined) known.delete(oldest);
}
