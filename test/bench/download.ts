// How fast a bundle is downloaded, beside nginx on the same file, and what many downloads at once cost in memory.
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#kernel/config/load.ts';
import { createLog } from '#kernel/log.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { openInstance } from '../../src/app/instance.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { output, type RunningChild, startServer } from './child.ts';
import type { DownloadJob, DownloadResult } from './load-download.ts';
import { median } from './medians.ts';
import { type NginxJob, nginxVersion } from './nginx.ts';
import type { BenchOptions } from './options.ts';
import { residentBytes } from './process-figures.ts';
import type { Verdict } from './ratios.ts';
import { bundleBytes, publishRelease } from './release.ts';

/** Medians; undefined where there is no nginx to compare with. */
export interface DownloadFigures {
  bundleMb: number;
  nginx: string | null;
  throughput: { connections: number; ownMbPerSecond: number; nginxMbPerSecond: number | undefined }[];
  many: number;
  waves: Wave[];
}

/** Many downloads at once: resident memory of the server before them, and the most while they run. */
interface Wave {
  beforeMb: number;
  peakMb: number;
}

/** Of a bench that is to measure something. */
const ENOUGH_LICENSES = 100_000;
const BUNDLE_BYTES = 200_000_000;
/** One customer, which is what was promised; and several, for which nginx has a process on every core. */
const CONNECTIONS = [1, 8];
const MANY = 50;
/** The second one shows whether the first left anything behind. */
const WAVES = 2;
const LEAST_OF_NGINX = 0.6;
const MOST_GROWTH_MB = 32;
const SAMPLE_MS = 50;
const TIMEOUT_MS = 300_000;
const INSTALL = 'apt-get install --no-install-recommends nginx';

/** A published release on a disk, and who may have it. */
interface Fixture {
  dataDir: string;
  databaseUrl: string;
  /** Folder of the server alone. */
  serverDir: string;
  bundlesDir: string;
  releaseId: string;
  sha256: string;
  licenseKey: string;
  size: number;
}

/** What is fetched of a server. */
type Source = Pick<DownloadJob, 'url' | 'headers' | 'size'>;

/** Downloads a bundle from a server as an operator runs it and, where it is installed, from nginx. */
export async function measureDownload(
  options: BenchOptions,
  say: (line: string) => void,
): Promise<DownloadFigures> {
  const folder = scratchFolder('appctl-bench-', { durable: true });
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const servers: RunningChild[] = [];
  try {
    const size = options.licenses >= ENOUGH_LICENSES ? BUNDLE_BYTES : BUNDLE_BYTES / 10;
    const fixture = await prepare(folder, size);
    const { dataDir, databaseUrl, serverDir } = fixture;
    servers.push(await startServer('appctl.ts', { dataDir, databaseUrl, serverDir }));
    const own = ownSource(fixture, servers[0] as RunningChild);
    await requireTheBundle(own, fixture.sha256);
    // A server that has just started comes first: what others leave behind would hide what these take.
    const waves: Wave[] = [];
    for (let n = 0; n < WAVES; n++) waves.push(await measureMany(own, servers[0] as RunningChild, say));
    const version = nginxVersion();
    if (version === null) say(`download: nginx is not installed, there is no ratio: ${INSTALL}`);
    else {
      const job: NginxJob = { root: fixture.bundlesDir, serverDir: join(folder, 'nginx') };
      servers.push(await startServer('nginx.ts', job));
    }
    const nginx = version === null ? null : nginxSource(fixture, servers[1] as RunningChild);
    const throughput = [];
    for (const connections of CONNECTIONS)
      throughput.push(await compare(own, nginx, connections, options, say));
    return { bundleMb: size / 1e6, nginx: version, throughput, many: MANY, waves };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    removeFolder();
    process.removeListener('exit', removeFolder);
  }
}

async function prepare(folder: string, size: number): Promise<Fixture> {
  const serverDir = join(folder, 'server');
  mkdirSync(serverDir, { mode: 0o700 });
  const databaseUrl = `sqlite:${join(folder, 'appctl.db')}`;
  const env = {
    HOME: folder,
    APPCTL_DATA_DIR: folder,
    APPCTL_DATABASE_URL: databaseUrl,
    APPCTL_BUNDLES_DIR: join(folder, 'bundles'),
  };
  const { config } = await loadConfig({ env, cwd: folder });
  const log = createLog({ level: 'error', destination: 2 });
  const instance = await openInstance({ config, log, mode: 'prepare' });
  try {
    const { ctx } = instance;
    const product = await products.create(ctx, { name: 'Bench', slug: 'bench' });
    const input = { customerEmail: 'bench@x.test', productId: product.id };
    const { license } = await licenses.create(ctx, input, { source: 'CLI', idempotency: null });
    const release = await publishRelease(ctx, product, bundleBytes(size));
    return {
      dataDir: folder,
      databaseUrl,
      serverDir,
      bundlesDir: config.storage.bundlesDir,
      releaseId: release.id,
      sha256: release.bundleSha256 as string,
      licenseKey: String(licenses.licenseView(ctx, license, { reveal: true }).key),
      size,
    };
  } finally {
    await instance.close();
  }
}

const ownSource = ({ releaseId, licenseKey, size }: Fixture, { url }: RunningChild): Source => ({
  url: `${url}/api/v1/updates/download?release_id=${releaseId}`,
  headers: { 'X-License-Key': licenseKey },
  size,
});

const nginxSource = ({ sha256, size }: Fixture, { url }: RunningChild): Source => ({
  url: `${url}/${sha256.slice(0, 2)}/${sha256}`,
  headers: {},
  size,
});

/** The figures of a server that sends something else would mean nothing. */
async function requireTheBundle({ url, headers }: Source, sha256: string): Promise<void> {
  const reply = await fetch(url, { headers });
  const hash = createHash('sha256');
  for await (const chunk of reply.body ?? []) hash.update(chunk);
  if (reply.status !== 200 || hash.digest('hex') !== sha256)
    throw new Error(`the bundle was not sent: ${reply.status}`);
}

async function compare(
  own: Source,
  nginx: Source | null,
  connections: number,
  { rounds, seconds }: BenchOptions,
  say: (line: string) => void,
) {
  const mbPerSecond = async (source: Source) => {
    const { bytes, seconds: taken } = await load({ ...source, connections, seconds });
    return bytes / 1e6 / taken;
  };
  const owns: number[] = [];
  const others: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    owns.push(await mbPerSecond(own));
    if (nginx) others.push(await mbPerSecond(nginx));
    const [last, other] = [owns.at(-1) ?? 0, others.at(-1)];
    const beside = other === undefined ? '' : `, nginx ${Math.round(other)} MB/s`;
    say(`download, ${connections} at once, round ${round}: ${Math.round(last)} MB/s${beside}`);
  }
  return {
    connections,
    ownMbPerSecond: median(owns),
    nginxMbPerSecond: nginx ? median(others) : undefined,
  };
}

/** Every one of many clients fetches the whole bundle once, all at the same time. */
async function measureMany(own: Source, server: RunningChild, say: (line: string) => void): Promise<Wave> {
  const before = residentBytes(server.pid);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(server.pid));
  }, SAMPLE_MS);
  try {
    const { bytes, seconds } = await load({ ...own, connections: MANY, seconds: 0 });
    say(`download, ${MANY} at once: ${(bytes / 1e9).toFixed(1)} GB in ${seconds.toFixed(1)} s`);
  } finally {
    clearInterval(timer);
  }
  return { beforeMb: before / 1e6, peakMb: peak / 1e6 };
}

async function load(job: DownloadJob): Promise<DownloadResult> {
  const script = join(import.meta.dirname, 'load-download.ts');
  return JSON.parse(
    await output(process.execPath, [script, JSON.stringify(job)], TIMEOUT_MS),
  ) as DownloadResult;
}

/** What was promised of downloads. */
export function judgeDownload({ throughput, many, waves, bundleMb }: DownloadFigures): Verdict[] {
  const rows = throughput.map(({ connections, ownMbPerSecond, nginxMbPerSecond }): Verdict => {
    const what = `${bundleMb.toFixed(0)} MB to ${connections === 1 ? 'one client' : `${connections} clients`}`;
    const rate = `${ownMbPerSecond.toFixed(0)} MB/s`;
    if (nginxMbPerSecond === undefined) return { what, asked: '–', measured: rate, ok: null };
    const share = ownMbPerSecond / nginxMbPerSecond;
    const isPromised = connections === 1;
    return {
      what: `${what}, of nginx's ${nginxMbPerSecond.toFixed(0)} MB/s`,
      asked: isPromised ? `≥ ${LEAST_OF_NGINX * 100} %` : '–',
      measured: `${(share * 100).toFixed(0)} % (${rate})`,
      ok: isPromised ? share >= LEAST_OF_NGINX : null,
    };
  });
  const growths = waves.map(({ beforeMb, peakMb }, n): Verdict => {
    const growthMb = peakMb - beforeMb;
    return {
      what: `memory that ${many} ${n === 0 ? '' : 'more '}downloads at once add to ${beforeMb.toFixed(0)} MB`,
      asked: `< ${MOST_GROWTH_MB} MB`,
      measured: `${growthMb.toFixed(0)} MB`,
      ok: growthMb < MOST_GROWTH_MB,
    };
  });
  return [...rows, ...growths];
}
