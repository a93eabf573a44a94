import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { ConfigError } from '#kernel/config/errors.ts';
import { formatListenAddress, isLoopback, type ListenAddress } from '#kernel/config/listen.ts';
import { AppError } from '#kernel/errors.ts';
import { listenerOn } from './listener.ts';

/** Ports below this belong to root and to programs that were given the right. */
const FIRST_FREE_PORT = 1024;

/**
 * Turns the reason why a server cannot listen into what its operator can do about it.
 *
 * @param error of `listen`, with the system's code
 * @returns AppError CONFLICT (5) for an address that another program has; ConfigError (78) for one that this machine or
 *   this user cannot have, since starting again changes nothing; anything else as it came
 */
export function addressFailure(error: NodeJS.ErrnoException, address: ListenAddress): Error {
  const text = formatListenAddress(address);
  if (error.code === 'EADDRINUSE') return inUse(text, address);
  const cure = cureOf(error.code ?? '', address);
  if (cure === null) return error;
  const [message, hint] = cure;
  return new ConfigError([{ key: 'listen', message: `${text} ${message}`, hint }]);
}

/** Of an address by its number that no interface of this machine has: whatever else is wrong with it comes later. */
export function foreignAddress(address: ListenAddress): ConfigError | null {
  if (address.kind !== 'tcp' || address.host === null || isIP(address.host) === 0) return null;
  const host = address.host;
  const isAny = host === '0.0.0.0' || /^[0:]+$/.test(host);
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map((one) => one.address));
  if (isAny || isLoopback(host) || own.includes(host)) return null;
  const [message, hint] = cureOf('EADDRNOTAVAIL', address) ?? ['', ''];
  return new ConfigError([{ key: 'listen', message: `${formatListenAddress(address)} ${message}`, hint }]);
}

function inUse(text: string, address: ListenAddress): AppError {
  const hint =
    address.kind === 'unix'
      ? 'stop the program that listens there, remove the file at that path, or choose another address with --listen'
      : 'stop the program that listens there, or choose another address with --listen';
  const holder = address.kind === 'tcp' ? listenerOn(address.port) : null;
  const by = holder === null ? '' : ` by ${holder}`;
  return new AppError('CONFLICT', 409, `${text} is in use${by}`, { details: { hint } });
}

function cureOf(code: string, address: ListenAddress): readonly [string, string] | null {
  if (address.kind === 'unix') return cureOfSocket(code, dirname(address.path));
  if (address.kind === 'fd')
    return ['is not an open listening socket', 'start appctl through systemd .socket'];
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') {
    return [
      'is not an address of this machine',
      'choose one that ip addr shows, or 127.0.0.1, with --listen',
    ];
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return ['names a host that cannot be resolved', 'use an IP address of this machine with --listen'];
  }
  if (code !== 'EACCES') return null;
  return address.port < FIRST_FREE_PORT
    ? [
        `cannot be used by this user: ports below ${FIRST_FREE_PORT} are reserved`,
        'choose a higher port with --listen, or add AmbientCapabilities=CAP_NET_BIND_SERVICE to the service',
      ]
    : ['cannot be used by this user', 'choose another address with --listen'];
}

function cureOfSocket(code: string, folder: string): readonly [string, string] | null {
  // libuv reports a folder that is missing as EACCES too.
  if (!['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EROFS'].includes(code)) return null;
  return [
    'cannot be created',
    `make ${folder} a folder that this user can write to, or choose another path with --listen`,
  ];
}
