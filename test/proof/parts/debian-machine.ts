// A machine of its own: a Debian with its systemd in namespaces, with the files of the machine that it was copied from.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { OPERATOR } from '../../support/debian-root.ts';

const CGROUPS = '/sys/fs/cgroup';
const BOOT_SECONDS = 60;
const END_SECONDS = 60;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What came of a script. */
export interface Ran {
  /** null when it took too long. */
  readonly status: number | null;
  readonly output: string;
}

/** Files that machines begin with: the lowest layer is the empty Debian. */
export type Layers = readonly string[];

export interface Machine {
  readonly name: string;
  /** Process id of its systemd on this machine. */
  readonly pid: number;
  /** Runs a script of bash. @param seconds until it is ended */
  run(user: 'root' | typeof OPERATOR, script: string, seconds?: number): Promise<Ran>;
  /** Shuts it down. @returns layers for machines that begin with its files */
  stop(): Promise<Layers>;
}

/** Where a machine is. */
export interface Place {
  readonly name: string;
  /** Made for it. */
  readonly folder: string;
  /** Which machines have as /run/shared, to hand files over. */
  readonly shared: string;
}

/**
 * Starts a machine and waits until its services run.
 *
 * @throws Error when its systemd does not start
 */
export async function startMachine(layers: Layers, { name, folder, shared }: Place): Promise<Machine> {
  for (const part of ['root', 'upper', 'work']) mkdirSync(join(folder, part), { recursive: true });
  const cgroup = makeCgroup(`appctl-manual-${process.pid}-${name}`);
  const log = openSync(join(folder, 'boot.log'), 'w');
  const words = ['-m', '-p', '-u', '-i', '-n', '-C', '-f', '--kill-child', 'sh'];
  const init = [join(import.meta.dirname, 'debian-machine-init.sh'), layers.join(':'), folder, shared, name];
  const enter = `echo $$ > '${cgroup}/cgroup.procs'; exec unshare "$@"`;
  const child = spawn('sh', ['-c', enter, 'sh', ...words, ...init], { stdio: ['ignore', log, log] });
  closeSync(log);
  const machine: Machine = {
    name,
    pid: await systemdOf(child, join(folder, 'boot.log')),
    run: (user, script, seconds = 240) => runIn(machine, { name, folder, shared }, user, script, seconds),
    async stop() {
      spawnSync('nsenter', [...entering(machine), 'systemctl', 'poweroff'], { stdio: 'ignore' });
      const late = setTimeout(() => child.kill('SIGKILL'), END_SECONDS * 1000);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      clearTimeout(late);
      removeCgroup(cgroup);
      return [join(folder, 'upper'), ...layers];
    },
  };
  const isUp = 'until [ -S /run/systemd/private ]; do sleep 0.1; done; systemctl is-system-running --wait';
  const booted = await machine.run('root', isUp, BOOT_SECONDS);
  if (/^(running|degraded)$/m.test(booted.output)) return machine;
  child.kill('SIGKILL');
  throw new Error(
    `${name} did not start: ${booted.output}\n${readFileSync(join(folder, 'boot.log'), 'utf8')}`,
  );
}

/** A group of the unified hierarchy, which systemd takes as its own. */
function makeCgroup(name: string): string {
  const unified = join(CGROUPS, 'unified');
  const path = join(existsSync(unified) ? unified : CGROUPS, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function removeCgroup(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeCgroup(join(path, entry.name));
  }
  rmdirSync(path);
}

/** Waits until the process that made the machine has become its systemd: before, its root is another one. */
async function systemdOf(child: ChildProcess, log: string): Promise<number> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`a machine cannot be made:\n${readFileSync(log, 'utf8')}`);
    const [first] = readIfThere(`/proc/${child.pid}/task/${child.pid}/children`).split(' ');
    if (first && readIfThere(`/proc/${first}/comm`) === 'systemd\n') return Number(first);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const entering = ({ pid }: { pid: number }): string[] => [
  '-t',
  String(pid),
  '-m',
  '-p',
  '-u',
  '-i',
  '-n',
  '-C',
  '-r',
  '-w',
];

async function runIn(
  { pid }: Machine,
  { name, folder, shared }: Place,
  user: string,
  script: string,
  seconds: number,
): Promise<Ran> {
  const file = join(shared, `.script-${name}`);
  const outputFile = join(folder, 'output');
  writeFileSync(file, script, { mode: 0o755 });
  const home = user === 'root' ? '/root' : `/home/${user}`;
  const env = ['env', '-i', `HOME=${home}`, `USER=${user}`, `PATH=${PATH}`, 'LC_ALL=C.UTF-8', 'TERM=dumb'];
  const as = user === 'root' ? [] : ['setpriv', '--reuid', user, '--regid', user, '--init-groups'];
  const shell = [...as, ...env, 'bash', '-c', `cd "$HOME"; exec bash /run/shared/.script-${name}`];
  // What goes on in the background keeps the output open: a file does not wait for it.
  const output = openSync(outputFile, 'w');
  const child = spawn('nsenter', [...entering({ pid }), ...shell], { stdio: ['ignore', output, output] });
  closeSync(output);
  const late = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
  const [status] = (await once(child, 'exit')) as [number | null];
  clearTimeout(late);
  return { status, output: readFileSync(outputFile, 'utf8') };
}

/** Joins two machines by a network of their own. @returns what each is reached by */
export function joinMachines(one: Machine, other: Machine): [string, string] {
  const addresses: [string, string] = ['10.99.0.1', '10.99.0.2'];
  const ends = [
    [one, 'lan0', addresses[0]],
    [other, 'lan0', addresses[1]],
  ] as const;
  const ip = (...words: string[]): void => void execFileSync('ip', words);
  ip(
    'link',
    'add',
    'lan0',
    'netns',
    String(one.pid),
    'type',
    'veth',
    'peer',
    'name',
    'lan0',
    'netns',
    String(other.pid),
  );
  for (const [machine, link, address] of ends) {
    const inside = (...words: string[]): void =>
      void execFileSync('nsenter', ['-t', String(machine.pid), '-n', 'ip', ...words]);
    inside('address', 'add', `${address}/24`, 'dev', link);
    inside('link', 'set', link, 'up');
  }
  return addresses;
}
