import { ConfigError } from '../config/errors.ts';
import { formatListenAddress, type ListenAddress } from '../config/listen.ts';
import type { Environment } from '../environment.ts';

/** An address to listen on, and the descriptor of the socket that another process has opened for it. */
export interface Place {
  readonly address: ListenAddress;
  readonly fd: number | null;
  /** Plain HTTP is answered with a redirect there. */
  readonly isRedirect?: true;
}

/** What a server passes on to its successor, in the variable LISTEN_HANDOVER. */
export interface Handover {
  /** Of the server that starts it: children of the successor inherit the variable too. */
  readonly from: number;
  /** The sockets take the place of the configured addresses: systemd opened them. */
  readonly isComplete: boolean;
  readonly sockets: readonly { readonly address: string; readonly fd: number; readonly isRedirect?: true }[];
  /** Where the successor says that it serves, or why it cannot. */
  readonly readyFd: number;
}

/** The variable that holds it, as JSON. */
export const HANDOVER = 'LISTEN_HANDOVER';

/** Descriptors that systemd passes begin after the three streams. */
const FIRST_FD = 3;

/** The addresses of a configuration. */
interface Wanted {
  readonly listen: readonly ListenAddress[];
  readonly redirect: readonly ListenAddress[];
}

/** FileDescriptorName of a socket unit whose sockets redirect. */
const REDIRECT = 'redirect';

/** Where a server listens, and what it was started with. */
export interface Places {
  readonly places: readonly Place[];
  /** All of them were opened by systemd, in place of what is configured. */
  readonly isComplete: boolean;
  /** Whether another process holds one of the sockets too: it may be a server that this one follows. */
  readonly isInherited: boolean;
  readonly handover: Handover | null;
}

/**
 * Where a server listens: on sockets of its predecessor, on those that systemd opened (LISTEN_FDS), else on what is
 * configured.
 *
 * @param listen with `redirect`, where plain HTTP is redirected; systemd names such a socket `redirect`
 * @param self ids of this process and its parent; variables for another process are left alone
 * @throws ConfigError for a LISTEN_FDS that is not a number
 */
export function placesOf(
  { listen, redirect }: Wanted,
  env: Environment,
  self: { readonly pid: number; readonly parent: number } = { pid: process.pid, parent: process.ppid },
): Places {
  const handover = readHandover(env, self.parent);
  const wanted: Wanted = { listen, redirect };
  if (handover) return fromPredecessor(wanted, handover);
  const count = systemdSockets(env, self.pid);
  const names = (env.LISTEN_FDNAMES ?? '').split(':');
  const fds = Array.from({ length: count }, (_, i): Place => {
    const fd = FIRST_FD + i;
    const isRedirect = names[i] === REDIRECT;
    return { address: { kind: 'fd', fd }, fd, ...(isRedirect && { isRedirect }) };
  });
  const places = count > 0 ? fds : placesIn(wanted, (address) => ownFd(address));
  return {
    places,
    isComplete: count > 0,
    isInherited: places.some(({ fd }) => fd !== null),
    handover: null,
  };
}

const placesIn = ({ listen, redirect }: Wanted, fdOf: (address: ListenAddress) => number | null): Place[] => [
  ...listen.map((address): Place => ({ address, fd: fdOf(address) })),
  ...redirect.map((address): Place => ({ address, fd: fdOf(address), isRedirect: true })),
];

const ownFd = (address: ListenAddress): number | null => (address.kind === 'fd' ? address.fd : null);

/** What the parent of this process, a server, left for it; null where another process left it. */
export function readHandover(env: Environment, parent = process.ppid): Handover | null {
  const text = env[HANDOVER];
  if (text === undefined) return null;
  const handover = JSON.parse(text) as Handover;
  return handover.from === parent ? handover : null;
}

function fromPredecessor(wanted: Wanted, handover: Handover): Places {
  const { sockets, isComplete } = handover;
  const fds = new Map(sockets.map(({ address, fd }) => [address, fd]));
  const places = isComplete
    ? sockets.map(
        ({ fd, isRedirect }): Place => ({
          address: { kind: 'fd', fd },
          fd,
          ...(isRedirect && { isRedirect }),
        }),
      )
    : placesIn(wanted, (address) => fds.get(formatListenAddress(address)) ?? null);
  return { places, isComplete, isInherited: true, handover };
}

/** How many sockets systemd opened for this process. */
function systemdSockets(env: Environment, pid: number): number {
  const { LISTEN_FDS: count, LISTEN_PID: owner } = env;
  if (count === undefined || owner !== String(pid)) return 0;
  if (/^\d{1,3}$/.test(count)) return Number(count);
  const message = `"${count}" is not a number of sockets`;
  const hint = 'unset LISTEN_FDS and LISTEN_PID, or start appctl through a systemd socket unit';
  throw new ConfigError([{ key: 'LISTEN_FDS', message, hint }]);
}
