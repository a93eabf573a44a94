// One installation under proof: a data directory, a product, an API key, licenses.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { jsonCommand, type Launch } from './processes.ts';
import type { ProofBench } from './proof.ts';

/** Where and how the executable runs. */
export interface Installation {
  dataDir: string;
  launch: Launch;
}

/** A license as `license mint --reveal` shows it. */
export interface Minted {
  id: string;
  key: string;
}

/**
 * Names a new data directory below the bench's folder.
 *
 * @param env beside data directory and database
 */
export function installationAt(
  { exe, folder, database }: ProofBench,
  name: string,
  env: Record<string, string>,
): Installation {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const dataDir = join(home, 'data');
  const url: Record<string, string> = database.url === undefined ? {} : { APPCTL_DATABASE_URL: database.url };
  return { dataDir, launch: { exe, cwd: home, env: { APPCTL_DATA_DIR: dataDir, ...url, ...env } } };
}

/** Makes a product. The server must run, or have run, because it makes the database. */
export const createProduct = ({ launch }: Installation, slug: string): Promise<{ id: string }> =>
  jsonCommand(launch, ['product', 'create', '--name', slug, '--slug', slug]);

/** Makes an API key of the license service and returns its secret. */
export async function createApiKey({ launch }: Installation, name: string): Promise<string> {
  const words = ['apikey', 'create', '--service', 'license', '--name', name, '--scope', 'FULL_ADMIN'];
  const { secret } = await jsonCommand<{ secret: string }>(launch, words);
  return secret;
}

/** Mints a license with this many activations and returns its whole key. */
export const mintLicense = (
  { launch }: Installation,
  product: string,
  activations: number,
): Promise<Minted> => {
  const who = ['--product', product, '--email', 'ann@example.com'];
  return jsonCommand(launch, [
    'license',
    'mint',
    ...who,
    '--max-activations',
    String(activations),
    '--reveal',
  ]);
};

/** Headers of a request with an API key. */
export const withKey = (secret: string): Record<string, string> => ({ 'X-API-Key': secret });
