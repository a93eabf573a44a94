// ACME: a real certificate authority, Pebble, issues certificates to the executable by both proofs, and again when they end.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { reservedPort } from '../support/reserved-port.ts';
import { installationAt } from './parts/installation.ts';
import { jsonCommand, startServer } from './parts/processes.ts';
import { Complaints, MissingTool, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';

const LONGEST_MS = 90_000;
/** Pebble issues nothing shorter in time for a renewal to be seen: a third of it is left after 20 s. */
const VALID_SECONDS = 30;

interface Authority {
  readonly directory: string;
  readonly rootFile: string;
  readonly ports: { readonly http: number; readonly tls: number };
  stop(): Promise<void>;
}

/** Pebble with a DNS server that leads every name to this machine. @param isLost looks for proofs where nobody is */
async function startPebble(folder: string, isLost: boolean): Promise<Authority> {
  mkdirSync(folder, { recursive: true });
  const [keyFile, rootFile] = [join(folder, 'root.key'), join(folder, 'root.crt')];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', '/CN=pebble', '-days', '2', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...words, ...names, '-keyout', keyFile, '-out', rootFile], { stdio: 'ignore' });
  const ports = { http: await reservedPort(), tls: await reservedPort() };
  const [api, management, dns, dnsManagement] = [
    await reservedPort(),
    await reservedPort(),
    await reservedPort(),
    await reservedPort(),
  ];
  const config = {
    listenAddress: `127.0.0.1:${api}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: rootFile,
    privateKey: keyFile,
    httpPort: isLost ? await reservedPort() : ports.http,
    tlsPort: isLost ? await reservedPort() : ports.tls,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    retryAfter: { authz: 1, order: 1 },
    certificateValidityPeriod: VALID_SECONDS,
  };
  const file = join(folder, 'pebble.json');
  writeFileSync(file, JSON.stringify({ pebble: config }));
  const env = { PATH: process.env.PATH ?? '', PEBBLE_VA_NOSLEEP: '1' };
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', ''];
  const helpers = [
    spawn(
      'pebble-challtestsrv',
      [...off, '-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`],
      { env, stdio: 'ignore' },
    ),
    spawn('pebble', ['-config', file, '-dnsserver', `127.0.0.1:${dns}`], { env, stdio: 'ignore' }),
  ];
  const end = (): void => helpers.forEach((one) => void one.kill('SIGKILL'));
  process.once('exit', end);
  const directory = `https://127.0.0.1:${api}/dir`;
  const ca = readFileSync(rootFile);
  await until(() => answers(directory, ca));
  return {
    directory,
    rootFile,
    ports,
    async stop() {
      process.off('exit', end);
      end();
      for (const one of helpers) {
        if (one.exitCode === null && one.signalCode === null) await once(one, 'exit');
      }
    },
  };
}

const answers = (url: string, ca: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    get(url, { ca }, (res) => resolve(res.resume().statusCode === 200)).on('error', () => resolve(false));
  });

/** @returns whether it came true in time */
async function until(look: () => Promise<boolean>): Promise<boolean> {
  for (const from = performance.now(); performance.now() - from < LONGEST_MS; ) {
    if (await look()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

const shownAt = (port: number, servername: string): Promise<PeerCertificate | null> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.on('error', () => resolve(null));
  });

/** @param isLost plants the fault: the authority finds no proof */
async function prove(bench: ProofBench, isLost: boolean): Promise<Outcome> {
  const complaints = new Complaints();
  const figures = { issued: 0, renewed: 0 };
  for (const way of ['http-01', 'tls-alpn-01'] as const) {
    // On Postgres both have one database, whose servers order a name from one authority.
    const name = `${way}.example.test`;
    const authority = await startPebble(join(bench.folder, way), isLost);
    const redirect =
      way === 'http-01' ? { APPCTL_TLS_REDIRECT_LISTEN: `127.0.0.1:${authority.ports.http}` } : {};
    const { launch } = installationAt(bench, `installation-${way}`, {
      NODE_EXTRA_CA_CERTS: authority.rootFile,
      APPCTL_BASE_URL: `https://${name}`,
      APPCTL_TLS_ACME: 'on',
      APPCTL_TLS_ACME_DIRECTORY: authority.directory,
      APPCTL_TLS_ACME_AGREE_TOS: '127.0.0.1',
      APPCTL_MASTER_KEY: '00'.repeat(32),
      ...redirect,
    });
    const server = await startServer(launch, ['--listen', `127.0.0.1:${authority.ports.tls}`]);
    const serials = new Set<string>();
    try {
      const isSeen = (count: number) =>
        until(async () => {
          const shown = await shownAt(authority.ports.tls, name);
          if (String(shown?.issuer.CN).startsWith('Pebble') && shown) serials.add(shown.serialNumber);
          return serials.size >= count || (isLost && (await hasFailed(launch)));
        });
      await isSeen(1);
      if (!isLost) await isSeen(2);
    } finally {
      await server.stop();
      await authority.stop();
    }
    complaints.unless(serials.size >= 1, () => `${way}: no certificate was issued`);
    complaints.unless(serials.size >= 2, () => `${way}: it was not renewed`);
    figures.issued += Math.min(serials.size, 1);
    figures.renewed += Math.max(serials.size - 1, 0);
  }
  return { figures, passed: complaints.count === 0, notes: complaints.notes };
}

async function hasFailed(launch: Parameters<typeof jsonCommand>[0]): Promise<boolean> {
  const { warnings } = await jsonCommand<{ warnings: string[] }>(launch, ['status']);
  return warnings.some((one) => one.includes('has not issued a certificate'));
}

export const acme: Proof = {
  id: 'ACME',
  databases: ['sqlite', 'postgres'],
  minutes: 2,
  requireTools() {
    for (const tool of ['pebble', 'pebble-challtestsrv'])
      if (spawnSync('which', [tool]).status !== 0)
        throw new MissingTool(`${tool} is missing: apt-get install pebble`);
  },
  faults: { lost: (bench) => prove(bench, true) },
  run: (bench) => prove(bench, false),
};
