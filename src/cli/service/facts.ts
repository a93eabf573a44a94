import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import type { ListenAddress } from '#kernel/config/listen.ts';
import { programArguments } from '#kernel/process-identity.ts';
import {
  environmentFileOf,
  redirectName,
  redirectUnit,
  serviceUnit,
  socketUnit,
  stateFolder,
  streamOf,
  type UnitFacts,
  unitFolder,
  unitWords,
  writableOf,
} from '#platform/service-unit/index.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';

/** Files of a service, and what is in them. */
export interface Service {
  readonly facts: UnitFacts;
  readonly unitPath: string;
  readonly unit: string;
  readonly socketPath: string;
  readonly socket: string;
  /** Of the sockets that redirect; `redirectSocket` is null for none. */
  readonly redirectPath: string;
  readonly redirectSocket: string | null;
  /** Folder of key and configuration; null for a service of a user, whose data directory has them. */
  readonly configFolder: string | null;
  readonly dataDir: string;
  /** Below which all of them are written: the machine itself, or a tree that is made for one. */
  readonly root: string;
}

/** What the line asks for. @throws usage error (2) for a name that systemd does not take */
export async function serviceOf(cli: Cli): Promise<Service> {
  const { config } = await cli.config();
  const name = named(cli, 'name') ?? 'appctl';
  const scope = cli.option('scope') === 'user' ? 'user' : 'system';
  const asked = named(cli, 'user');
  if (scope === 'user' && asked !== undefined)
    throw usageError('--user is for --scope system: a service of a user runs as that user');
  const user = scope === 'user' ? null : (asked ?? name);
  const root = cli.option('root') ?? '/';
  const isSystem = scope === 'system';
  const home = homedir();
  const machine = { root, home };
  const folder = unitFolder(scope, machine);
  const facts: UnitFacts = {
    name,
    scope,
    user,
    program: unitWords(programWords(cli)),
    environmentFile: cli.option('unit-env-file') ?? environmentFileOf(scope, name, home),
    writable: isSystem ? writableOf(foldersBeside(config)) : '',
    listen: config.listen.map(checked).map(streamOf),
    redirect: config.redirectListen.map(checked).map(streamOf),
  };
  return {
    facts,
    unitPath: join(folder, `${name}.service`),
    unit: serviceUnit(facts),
    socketPath: join(folder, `${name}.socket`),
    socket: socketUnit(facts),
    redirectPath: join(folder, `${redirectName(name)}.socket`),
    redirectSocket: redirectUnit(facts),
    configFolder: isSystem ? join(root, '/etc', name) : null,
    dataDir: stateFolder(scope, name, home),
    root,
  };
}

/** Folders that the configuration names outside the data directory: the sandbox of the unit is closed to them otherwise. */
function foldersBeside({ dataDir, backup, storage, log }: Config): string[] {
  const named = [backup.dir, storage.bundlesDir, storage.mediaDir, ...(log.file ? [dirname(log.file)] : [])];
  const folders = named.filter((folder) => !folder.startsWith('s3://')).map((folder) => resolve(folder));
  return folders.filter((folder) => folder !== dataDir && !folder.startsWith(`${dataDir}${sep}`));
}

const programWords = (cli: Cli): string[] => {
  const exe = cli.option('exe');
  return exe === undefined ? [process.execPath, ...programArguments()] : [exe];
};

function named(cli: Cli, option: 'name' | 'user'): string | undefined {
  const text = cli.option(option);
  if (text === undefined || /^[a-z_][a-z0-9_-]{0,30}$/.test(text)) return text;
  throw usageError(
    `--${option}: "${text}" is not a valid name`,
    'use small letters, digits, - and _, beginning with a letter, at most 31',
  );
}

/** systemd has to know the port beforehand, and names no hosts. */
function checked(address: ListenAddress): ListenAddress {
  if (address.kind === 'fd' || (address.kind === 'tcp' && address.port === 0))
    throw usageError(
      'a service needs an address that stays the same',
      'set listen to an address and a port, such as 127.0.0.1:8480',
    );
  if (address.kind === 'tcp' && address.host !== null && isIP(address.host) === 0)
    throw usageError(
      `"${address.host}" is a host name, and a socket unit needs an IP address`,
      'set listen to an IP address',
    );
  return address;
}
