// An installation with everything that a backup has to bring back, and backups and restores of it by the executable.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import sharp from 'sharp';
import { createClient } from './client.ts';
import { databaseFile, type ProofDatabase } from './databases.ts';
import {
  createApiKey,
  createProduct,
  type Installation,
  installationAt,
  type Minted,
  mintLicense,
  withKey,
} from './installation.ts';
import { command, jsonCommand, startServer } from './processes.ts';
import type { ProofBench } from './proof.ts';

/** What was made, with the secrets that must still work after a restore. */
export interface Scene {
  readonly installation: Installation;
  readonly productId: string;
  readonly apiKey: string;
  readonly adminToken: string;
  /** Secret of an API key that uploads pictures. */
  readonly shopKey: string;
  /** File of the key that signs releases. */
  readonly releaseKey: string;
  readonly license: Minted;
}

/** A restored installation. */
export interface There {
  readonly installation: Installation;
  /** Path of a SQLite file, or URL of a Postgres database. */
  readonly at: string;
}

/** What `backup create` answers. */
export interface BackedUp {
  readonly file: string;
  readonly sizeBytes: number;
  readonly manifest: { readonly tables: Readonly<Record<string, number>> };
  readonly ms: number;
}

const ENV = { APPCTL_RATE_LIMIT: 'off', APPCTL_LOG_LEVEL: 'warn', APPCTL_BACKUP_SCHEDULE: '' };
const MEBIBYTE = 1024 ** 2;

/** Sets one up: an owner, a product with a release, keys, a license, a picture, and rows of so many megabytes. */
export async function makeScene(bench: ProofBench, megabytes: number): Promise<Scene> {
  const installation = installationAt(bench, 'source', ENV);
  const { launch } = installation;
  await jsonCommand(launch, [
    'setup',
    '--no-input',
    '--owner-email',
    'ann@example.com',
    '--generate-password',
  ]);
  const { id: productId } = await createProduct(installation, 'editor');
  const apiKey = await createApiKey(installation, 'proof');
  const ofShop = ['apikey', 'create', '--service', 'store', '--name', 'shop', '--scope', 'products:write'];
  const shop = await jsonCommand<{ secret: string }>(launch, ofShop);
  const token = ['admin', 'token', 'create', '--name', 'proof', '--role', 'owner'];
  const { secret: adminToken } = await jsonCommand<{ secret: string }>(launch, token);
  const license = await mintLicense(installation, 'editor', 1000);
  const releaseKey = join(launch.cwd, 'release.key');
  await jsonCommand(launch, [
    ...['keys', 'generate', '--product', 'editor', '--no-passphrase', '--out', releaseKey],
  ]);
  await ship({ installation, releaseKey }, bench, '1.0.0');
  await fill(bench, installation, megabytes);
  const server = await startServer(launch);
  try {
    await sendPicture(server.url, shop.secret, '#246');
  } finally {
    await server.stop();
  }
  return { installation, productId, apiKey, adminToken, shopKey: shop.secret, releaseKey, license };
}

/** Ships a release of a megabyte. */
export async function ship(
  { installation: { launch }, releaseKey }: Pick<Scene, 'installation' | 'releaseKey'>,
  { random }: ProofBench,
  version: string,
): Promise<void> {
  const bundle = join(launch.cwd, `editor-${version}.bin`);
  writeFileSync(bundle, createHash('shake256', { outputLength: MEBIBYTE }).update(random.word(20)).digest());
  const about = ['--product', 'editor', '--version', version, '--key', releaseKey, '--yes'];
  await jsonCommand(launch, ['release', 'ship', bundle, ...about]);
}

/** Uploads a picture of one color. */
export async function sendPicture(url: string, secret: string, background: string): Promise<void> {
  const picture = sharp({ create: { width: 40, height: 30, channels: 3, background } });
  const answer = await fetch(`${url}/api/store/media`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(await picture.png().toBuffer()),
  });
  if (answer.status !== 201)
    throw new Error(`a picture was answered ${answer.status}: ${await answer.text()}`);
}

const FILLED_ROWS = 64;
const FILLED_BYTES = MEBIBYTE / 2;
const FILLED_COLUMNS =
  'id, tenant_id, kind, status, started_by, params, done, cancel_asked, error, finished_at, created_at';

/** Finished tasks with long errors, half a megabyte of digits each: no database can make them shorter. */
async function fill({ database }: ProofBench, { dataDir }: Installation, megabytes: number): Promise<void> {
  const steps = Math.ceil((megabytes * MEBIBYTE) / (FILLED_ROWS * FILLED_BYTES));
  if (steps === 0) return;
  const at = new Date().toISOString();
  const row = (id: string, flag: string, error: string) =>
    `INSERT INTO tasks (${FILLED_COLUMNS})
     SELECT ${id}, 'default', 'proof', 'FAILED', 'proof', '{}', 1, ${flag}, ${error}, '${at}', '${at}'`;
  if (database.kind === 'postgres')
    return fillServer(database, steps, row("'tsk_' || $2 || '_' || n", 'false', 'error'));
  const file = new Database(databaseFile(dataDir));
  const insert = file.prepare(
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${FILLED_ROWS})
     ${row("'tsk_' || ? || '_' || n", '0', `hex(randomblob(${FILLED_BYTES / 2}))`)} FROM n`,
  );
  for (let step = 0; step < steps; step++) {
    insert.run(step);
    file.pragma('wal_checkpoint(TRUNCATE)');
  }
  file.close();
}

/**
 * Postgres would try to compress each value and keep it as it came: two thirds of the time for nothing, so that it is
 * asked not to. What is in the table afterwards is the same.
 */
async function fillServer(database: ProofDatabase, steps: number, insert: string): Promise<void> {
  const digits = (): string => randomBytes(FILLED_BYTES / 2).toString('hex');
  await database.execute('ALTER TABLE tasks ALTER COLUMN error SET STORAGE EXTERNAL', []);
  for (let step = 0; step < steps; step++) {
    const errors = `{${Array.from({ length: FILLED_ROWS }, digits).join(',')}}`;
    await database.execute(`${insert} FROM unnest($1::text[]) WITH ORDINALITY AS made(error, n)`, [
      errors,
      String(step),
    ]);
  }
  await database.execute('ALTER TABLE tasks ALTER COLUMN error SET STORAGE EXTENDED', []);
  // What the server owes for these gigabytes: each of their files that it syncs later holds up every commit for 200 ms
  // and more, and that would count as the backup's doing.
  await database.execute('VACUUM tasks', []);
  await database.execute('CHECKPOINT', []);
}

/** Runs `backup create`. @returns what it answered, and when it began and ended */
export async function backUp({ installation: { launch } }: Scene, name: string) {
  const file = join(launch.cwd, name);
  const fromMs = performance.now();
  const made = await jsonCommand<BackedUp>(launch, ['backup', 'create', '--out', file]);
  return { made, span: { fromMs, toMs: performance.now() } };
}

/** The words of a restore into another data directory, whose master key is given. */
export const restoreWords = ({ installation }: Scene, file: string): string[] => [
  'restore',
  file,
  '--master-key-file',
  join(installation.dataDir, 'master.key'),
];

/** Restores into a new data directory. @param url of an empty Postgres database; undefined for a SQLite file */
export async function restoreInto(
  bench: ProofBench,
  scene: Scene,
  file: string,
  { name, url }: { readonly name: string; readonly url: string | undefined },
): Promise<There> {
  const { kind } = bench.database;
  const installation = installationAt({ ...bench, database: { ...bench.database, kind, url } }, name, ENV);
  await jsonCommand(installation.launch, restoreWords(scene, file));
  return { installation, at: url ?? databaseFile(installation.dataDir) };
}

/** Where the rows of the source are. */
export const sourceOf = ({ database }: ProofBench, { installation }: Scene): string =>
  database.url ?? databaseFile(installation.dataDir);

/** Digest of each bundle and picture, by its path below the data directory. */
export function filesOf({ dataDir }: Installation): Record<string, string> {
  const found: Record<string, string> = {};
  for (const kind of ['bundles', 'media']) {
    const root = join(dataDir, kind);
    mkdirSync(root, { recursive: true });
    for (const one of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(one.parentPath, one.name);
      if (one.isFile() && !path.includes('incoming'))
        found[relative(dataDir, path)] = createHash('sha256').update(readFileSync(path)).digest('hex');
    }
  }
  return found;
}

/** What does not work of a restored installation, in words. */
export async function brokenIn({ installation }: There, scene: Scene): Promise<string[]> {
  const broken: string[] = [];
  const server = await startServer(installation.launch);
  const client = createClient(server.url, 1);
  try {
    const body = { licenseKey: scene.license.key, machineId: 'machine-0001' };
    const headers = withKey(scene.apiKey);
    for (const word of ['activate', 'validate']) {
      const answer = await client.ask({ method: 'POST', path: `/api/v1/license/${word}`, headers, body });
      if (answer.status >= 300) broken.push(`${word} was answered ${answer.status}: ${answer.body}`);
    }
    const asStaff = { Authorization: `Bearer ${scene.adminToken}` };
    const listed = await client.ask({ path: '/api/v1/admin/products', headers: asStaff });
    if (listed.status !== 200) broken.push(`the admin token was answered ${listed.status}: ${listed.body}`);
  } finally {
    client.close();
    await server.stop();
  }
  const words = ['license', 'show', scene.license.id, '--reveal'];
  const { key } = await jsonCommand<{ key: string }>(installation.launch, words);
  if (key !== scene.license.key) broken.push('the license has another key');
  const doctor = await command(installation.launch, [
    'doctor',
    'db.integrity',
    'db.foreign-keys',
    'keys.master-key',
    '--json',
  ]);
  if (doctor.code !== 0) broken.push(`doctor ended with ${doctor.code}: ${doctor.stdout}${doctor.stderr}`);
  return broken;
}

/** Everything in a data directory that a refused restore must leave alone, by name and size. */
export const livingFiles = (dataDir: string): string =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && !one.name.startsWith('appctl.db-'))
    .map((one) => join(one.parentPath, one.name))
    .map((path) => `${relative(dataDir, path)} ${statSync(path).size}`)
    .sort()
    .join('\n');
