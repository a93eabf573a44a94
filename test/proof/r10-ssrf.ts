// R10: an address that somebody named never leads into a private network, however it is spelt and whatever a name says.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasOpenssl } from '../support/openssl.ts';
import { MissingTool, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import type { SceneOrder } from './parts/ssrf-scene.ts';
import { DNS_ADDRESS } from './parts/ssrf-world.ts';

const NAMESPACE = ['unshare', '-rnm'] as const;

/** Every address is this machine, and names are asked for here: what goes anywhere is seen. */
const SET_UP = `set -e
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
mount --bind "$1" /etc/resolv.conf
shift
exec "$@"`;

function requireTools(): void {
  const probe = spawnSync('unshare', ['-rnm', 'sh', '-c', 'ip link set lo up'], { encoding: 'utf8' });
  if (probe.status !== 0) {
    const why = probe.stderr?.trim() || probe.error?.message;
    throw new MissingTool(`no network namespace here (${why}): apt-get install -y iproute2 util-linux`);
  }
  if (!hasOpenssl) throw new MissingTool('openssl is missing: apt-get install -y openssl');
}

async function play({ exe, database, folder }: ProofBench, sender: SceneOrder['sender']): Promise<Outcome> {
  const resolvers = join(folder, 'resolv.conf');
  writeFileSync(resolvers, `nameserver ${DNS_ADDRESS}\noptions timeout:2 attempts:1\n`);
  const order: SceneOrder = { exe, kind: database.kind, folder, sender };
  const inside = [process.execPath, join(import.meta.dirname, 'parts/ssrf-scene.ts'), JSON.stringify(order)];
  const [program, ...words] = NAMESPACE;
  // A database server of the outer network cannot be reached from there: the scene starts its own.
  const env = { ...process.env, TEST_POSTGRES_URL: '' };
  const child = spawn(program, [...words, 'sh', '-c', SET_UP, 'sh', resolvers, ...inside], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [code] = await once(child, 'close');
  process.off('exit', end);
  if (code !== 0) throw new Error(`the scene of R10 ended with ${code}`);
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as Outcome;
}

export const r10: Proof = {
  id: 'R10',
  databases: ['sqlite', 'postgres'],
  requireTools,
  faults: {
    'allow-all': (bench) => play(bench, 'allow-all'),
    'look-then-fetch': (bench) => play(bench, 'look-then-fetch'),
  },
  run: (bench) => play(bench, 'executable'),
};
