import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { newMasterKey } from '#kernel/crypto.ts';
import { createPrivateFile } from '#kernel/private-files.ts';
import { MARK } from '#platform/service-unit/index.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, conflictError, notFoundError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { makeAccount } from './account.ts';
import { type Service, serviceOf } from './facts.ts';

const answerOf = ({ unitPath, unit, socketPath, socket, redirectPath, redirectSocket }: Service) => ({
  unitPath,
  unit,
  socketPath,
  socket,
  redirectSocketPath: redirectSocket === null ? null : redirectPath,
  redirectSocket,
});

/** `appctl service print`. */
export async function printService(cli: Cli): Promise<void> {
  const service = await serviceOf(cli);
  await cli.out.value(answerOf(service), () =>
    unitsOf(service)
      .map(([path, text]) => `# ${path}\n${text}`)
      .join('\n')
      .trimEnd(),
  );
}

/** `appctl service install`. */
export async function installService(cli: Cli): Promise<void> {
  const service = await serviceOf(cli);
  requireSystemd(service);
  for (const [path, text] of unitsOf(service)) requireOwn(path, text);
  await cli.confirm({ action: `install the service ${service.facts.name}`, name: service.facts.name });
  const changed = changesOf(service);
  if (!cli.dryRun) await (isHere(service) ? putInForce(service, changed) : write(service));
  const { facts, dataDir, configFolder } = service;
  const names = unitsOf(service).map(([path]) => basename(path));
  const words = [`${cli.dryRun ? 'Would install' : 'Installed'} ${inWords(names)}`];
  words.push(
    `Data: ${dataDir}`,
    ...(configFolder === null ? [] : [`Configuration and master key: ${configFolder}`]),
  );
  await cli.out.value({ ...answerOf(service), dryRun: cli.dryRun }, () => words.join('\n'));
  if (!cli.dryRun)
    cli.note(
      `Keep a copy of the master key apart from the backups. See the log: journalctl -u ${facts.name}`,
    );
}

/** `appctl service uninstall`. */
export async function uninstallService(cli: Cli): Promise<void> {
  const service = await serviceOf(cli);
  const { facts, dataDir, configFolder } = service;
  const known = [service.unitPath, service.socketPath];
  // The configuration of today does not say whether it was installed with sockets that redirect.
  const present = [...known.filter((path) => existsSync(path)), ...[service.redirectPath].filter(isOurs)];
  if (present.length === 0)
    throw notFoundError(`${service.unitPath} does not exist`, 'name the service with --name and --scope');
  for (const path of present) requireOwn(path, '');
  await cli.confirm({ action: `stop and remove the service ${facts.name}`, name: facts.name });
  if (!cli.dryRun) {
    if (isHere(service))
      await systemctl(service, 'disable', '--now', ...present.map((path) => basename(path)));
    writing(service, () => {
      for (const path of present) rmSync(path);
    });
    if (isHere(service)) await systemctl(service, 'daemon-reload');
  }
  const kept = [dataDir, ...(configFolder === null ? [] : [configFolder])].join(' and ');
  const text = cli.dryRun ? `Would remove ${facts.name}.service` : `Removed ${facts.name}.service`;
  await cli.out.value(
    { ...answerOf(service), dryRun: cli.dryRun },
    () => `${text}. The data stays in ${kept}`,
  );
}

/** Files of a service, and what is in them; the service first. */
const unitsOf = ({ unitPath, unit, socketPath, socket, redirectPath, redirectSocket }: Service) => [
  [unitPath, unit] as const,
  [socketPath, socket] as const,
  ...(redirectSocket === null ? [] : [[redirectPath, redirectSocket] as const]),
];

/** Those that an earlier installation left and this one does not have. */
const leftOf = ({ redirectPath, redirectSocket }: Service): string[] =>
  redirectSocket === null && isOurs(redirectPath) ? [redirectPath] : [];

const isOurs = (path: string): boolean => existsSync(path) && readFileSync(path, 'utf8').startsWith(MARK);

/** What an installation changes of the units of the machine. */
interface Changes {
  readonly unit: boolean;
  readonly sockets: boolean;
}

function changesOf(service: Service): Changes {
  const [unit, ...sockets] = unitsOf(service).map(
    ([path, text]) => existsSync(path) && readFileSync(path, 'utf8') !== text,
  );
  const isNew = unitsOf(service).some(([path]) => !existsSync(path));
  return { unit: unit === true, sockets: sockets.includes(true) || isNew || leftOf(service).length > 0 };
}

function write(service: Service): void {
  writing(service, () => {
    if (service.configFolder !== null) writeConfiguration(service, service.configFolder);
    for (const [path, text] of unitsOf(service)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o644 });
    }
    for (const path of leftOf(service)) rmSync(path);
  });
}

/** Writes the units and has systemd run them. A running service goes on as the new ones say. */
async function putInForce(service: Service, { unit, sockets }: Changes): Promise<void> {
  const { name } = service.facts;
  const runs = await isActive(service);
  // systemd opens no socket for a service that runs, and would start one that was stopped for the next connection.
  if (runs && sockets)
    await systemctl(
      service,
      'stop',
      `${name}.service`,
      ...[...socketsHere(service), ...leftOf(service)].map((path) => basename(path)),
    );
  for (const path of leftOf(service)) await systemctl(service, 'disable', basename(path));
  write(service);
  await systemctl(service, 'daemon-reload');
  const units = unitsOf(service).map(([path]) => basename(path));
  await systemctl(service, 'enable', '--now', ...units.slice(1), `${name}.service`);
  if (runs && unit && !sockets) await systemctl(service, 'restart', `${name}.service`);
}

const socketsHere = (service: Service): string[] =>
  unitsOf(service)
    .slice(1)
    .map(([path]) => path)
    .filter((path) => existsSync(path));

const isActive = (service: Service): Promise<boolean> =>
  systemctl(service, 'is-active', '--quiet', `${service.facts.name}.service`).then(
    () => true,
    () => false,
  );

const inWords = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Below another root only files are written. */
const isHere = ({ root }: Service): boolean => root === '/';

/** @throws CliError (5) where no systemd runs */
function requireSystemd(service: Service): void {
  if (!isHere(service) || existsSync('/run/systemd/system')) return;
  throw conflictError(
    'systemd does not run on this machine',
    'start appctl serve by the service manager of this machine, or write the files with --root DIR',
  );
}

/** @throws CliError (5) for a file that somebody else wrote or changed */
function requireOwn(path: string, text: string): void {
  if (!existsSync(path)) return;
  const present = readFileSync(path, 'utf8');
  if (present === text || present.startsWith(MARK)) return;
  throw conflictError(
    `${path} was not written by appctl service install`,
    'move it away, or choose another name with --name',
  );
}

/** The key comes first: the unit cannot start without it. One that the data directory has already belongs to its data. */
function writeConfiguration(service: Service, folder: string): void {
  const { root, dataDir, facts } = service;
  makeAccount(service);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const own = join(root, dataDir, 'master.key');
  createPrivateFile(
    join(folder, 'master.key'),
    existsSync(own) ? readFileSync(own, 'utf8') : `${newMasterKey()}\n`,
  );
  const file = join(folder, 'appctl.toml');
  if (existsSync(file)) return;
  const text = `# Configuration of ${facts.name}: appctl config init --full shows every key.
data_dir = "${dataDir}"

[secret]
master_key_file = "/etc/${facts.name}/master.key"
`;
  writeFileSync(file, text, { mode: 0o644 });
}

/** @throws CliError (4) where this user may not write */
function writing(service: Service, work: () => void): void {
  try {
    work();
  } catch (error) {
    const { code, path = service.unitPath } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error;
    const hint =
      code === 'EROFS' ? 'make the disk writable' : 'run the command with sudo, or with --scope user';
    throw new CliError(exits.denied, 'FORBIDDEN', `${path} cannot be written (${code})`, { hint });
  }
}

async function systemctl({ facts }: Service, ...words: string[]): Promise<void> {
  const all = [...(facts.scope === 'user' ? ['--user'] : []), ...words];
  try {
    await promisify(execFile)('systemctl', all);
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    throw new CliError(
      exits.unexpected,
      'SYSTEMCTL_FAILED',
      `systemctl ${all.join(' ')}: ${stderr.trim() || message}`,
      {
        hint: `journalctl ${facts.scope === 'user' ? '--user ' : ''}-u ${facts.name} -n 50`,
      },
    );
  }
}
