import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { newMasterKey } from '#kernel/crypto.ts';
import { createPrivateFile } from '#kernel/private-files.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, conflictError, notFoundError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { type Service, serviceOf } from './facts.ts';
import { MARK } from './unit.ts';

const answerOf = ({ unitPath, unit, socketPath, socket }: Service) => ({
  unitPath,
  unit,
  socketPath,
  socket,
});

/** `appctl service print`. */
export async function printService(cli: Cli): Promise<void> {
  const service = await serviceOf(cli);
  const { unitPath, unit, socketPath, socket } = service;
  await cli.out.value(answerOf(service), () =>
    [`# ${unitPath}`, unit, `# ${socketPath}`, socket.trimEnd()].join('\n'),
  );
}

/** `appctl service install`. */
export async function installService(cli: Cli): Promise<void> {
  const service = await serviceOf(cli);
  requireSystemd(service);
  for (const [path, text] of unitsOf(service)) requireOwn(path, text);
  await cli.confirm({ action: `install the service ${service.facts.name}`, name: service.facts.name });
  if (!cli.dryRun) {
    writing(service, () => {
      if (service.configFolder !== null) writeConfiguration(service, service.configFolder);
      for (const [path, text] of unitsOf(service)) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text, { mode: 0o644 });
      }
    });
    if (isHere(service)) {
      await systemctl(service, 'daemon-reload');
      await systemctl(
        service,
        'enable',
        '--now',
        `${service.facts.name}.socket`,
        `${service.facts.name}.service`,
      );
    }
  }
  const { facts, dataDir, configFolder } = service;
  const words = [
    `${cli.dryRun ? 'Would install' : 'Installed'} ${facts.name}.service and ${facts.name}.socket`,
  ];
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
  const present = unitsOf(service).filter(([path]) => existsSync(path));
  if (present.length === 0)
    throw notFoundError(`${service.unitPath} does not exist`, 'name the service with --name and --scope');
  for (const [path] of present) requireOwn(path, '');
  await cli.confirm({ action: `stop and remove the service ${facts.name}`, name: facts.name });
  if (!cli.dryRun) {
    if (isHere(service))
      await systemctl(service, 'disable', '--now', `${facts.name}.service`, `${facts.name}.socket`);
    writing(service, () => {
      for (const [path] of present) rmSync(path);
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

const unitsOf = ({ unitPath, unit, socketPath, socket }: Service) =>
  [
    [unitPath, unit],
    [socketPath, socket],
  ] as const;

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
function writeConfiguration({ root, dataDir, facts }: Service, folder: string): void {
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
