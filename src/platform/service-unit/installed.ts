import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MARK, redirectName, redirectUnit, serviceUnit, socketUnit, type UnitFacts } from './unit.ts';

/** Where units and data are: the machine itself, and the folder of the user who looks. */
export interface Machine {
  readonly root: string;
  readonly home: string;
}

/** A service that `service install` wrote. */
export interface InstalledService {
  readonly facts: UnitFacts;
  readonly unitPath: string;
  /** Its files are those that this program would write for it today. */
  readonly isCurrent: boolean;
}

/** Where the units of a service are. */
export const unitFolder = (scope: UnitFacts['scope'], { root, home }: Machine): string =>
  join(root, scope === 'system' ? '/etc/systemd/system' : join(home, '.config/systemd/user'));

/** Where its data is. */
export const stateFolder = (scope: UnitFacts['scope'], name: string, home: string): string =>
  scope === 'system' ? `/var/lib/${name}` : join(home, '.local/state', name);

/** Where its variables are, unless somebody chose another file. */
export const environmentFileOf = (scope: UnitFacts['scope'], name: string, home: string): string =>
  scope === 'system' ? `/etc/${name}/appctl.env` : join(home, '.config', name, 'appctl.env');

/** The services that were installed for a data directory. */
export function installedServices(dataDir: string, machine: Machine): InstalledService[] {
  const found: InstalledService[] = [];
  for (const scope of ['system', 'user'] as const) {
    const folder = unitFolder(scope, machine);
    for (const file of filesIn(folder)) {
      const name = file.slice(0, -SERVICE.length);
      if (stateFolder(scope, name, machine.home) !== dataDir) continue;
      const text = textOf(join(folder, file));
      if (text?.startsWith(MARK)) found.push(judged(folder, name, scope, text));
    }
  }
  return found;
}

const SERVICE = '.service';

function judged(folder: string, name: string, scope: UnitFacts['scope'], unit: string): InstalledService {
  const socket = textOf(join(folder, `${name}.socket`)) ?? '';
  const redirect = textOf(join(folder, `${redirectName(name)}.socket`));
  const facts: UnitFacts = {
    name,
    scope,
    user: valueIn(unit, 'User'),
    program: (valueIn(unit, 'ExecStart') ?? '').replace(/ serve$/, ''),
    environmentFile: (valueIn(unit, 'EnvironmentFile') ?? '').replace(/^-/, ''),
    writable: valueIn(unit, 'ReadWritePaths') ?? '',
    listen: streamsIn(socket),
    redirect: streamsIn(redirect ?? ''),
  };
  const isCurrent =
    unit === serviceUnit(facts) && socket === socketUnit(facts) && redirect === redirectUnit(facts);
  return { facts, unitPath: join(folder, `${name}${SERVICE}`), isCurrent };
}

const valueIn = (unit: string, key: string): string | null =>
  new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? null;

const streamsIn = (socket: string): string[] =>
  [...socket.matchAll(/^ListenStream=(.*)$/gm)].map(([, stream = '']) => stream);

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith(SERVICE));
  } catch {
    return [];
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Writes the units of a service again, for a person to paste: from what it was installed with. */
export function installCommand({ facts }: InstalledService, { home }: Pick<Machine, 'home'>): string {
  const { name, scope, user, environmentFile } = facts;
  const usual = environmentFileOf(scope, name, home);
  const isOther = name !== 'appctl';
  return [
    scope === 'system' ? 'sudo appctl' : 'appctl',
    // What is set there decides where the service listens, and the command must know it too.
    ...(existsSync(environmentFile) ? [`--env-file ${environmentFile}`] : []),
    'service install',
    ...(scope === 'user' ? ['--scope user'] : []),
    ...(isOther ? [`--name ${name}`] : []),
    ...(isOther && scope === 'system' ? [`--config /etc/${name}/appctl.toml`] : []),
    ...(user === null || user === name ? [] : [`--user ${user}`]),
    ...(environmentFile === usual ? [] : [`--unit-env-file ${environmentFile}`]),
  ].join(' ');
}
