// A shop that the executable runs, alone in an empty folder.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Place } from '../browser/customer-walk.ts';
import { jsonCommand, type Launch, type RunningServer, startServer } from '../proof/parts/processes.ts';
import { copyOfExecutable } from '../support/built-executable.ts';
import { migratedDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

export interface ShopFolder {
  readonly place: Omit<Place, 'mailsTo'>;
  /** Ends the server. @returns its exit code */
  stop(): Promise<number | null>;
  /** Ends it, if it still runs, and leaves nothing behind. */
  close(): Promise<void>;
}

/**
 * Copies the executable, sets it up on the database of the test and serves. Orders are paid later.
 *
 * @param env further variables
 * @param hooks files of the hooks directory, beside those that `appctl hooks init` writes
 */
export async function openShopFolder(
  env: Readonly<Record<string, string>> = {},
  hooks: Readonly<Record<string, string>> | null = null,
): Promise<ShopFolder> {
  // A memory file system may forbid execution.
  const folder = scratchFolder('appctl-shop-', { durable: true });
  const exe = copyOfExecutable(folder);
  const isPostgres = inject('databaseKind') === 'postgres';
  const database = isPostgres ? await migratedDatabaseUrl() : null;
  const launch: Launch = {
    exe,
    cwd: folder,
    env: {
      PATH: '/usr/bin',
      APPCTL_SETTING_PAYMENT_PROCESSORS_ENABLED: '["offline"]',
      ...(database && { APPCTL_DATABASE_URL: database.url }),
      ...env,
    },
  };
  let server: RunningServer | null = null;
  const close = async () => {
    await server?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { password, secret } = await setUp(launch);
    if (hooks) await writeHooks(launch, hooks);
    server = await startServer(launch);
    const { url, stop } = server;
    return { place: placeOf(url, secret, password), stop, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const OWNER = 'ann@x.test';

async function setUp(launch: Launch): Promise<{ password: string; secret: string }> {
  const asked = ['setup', '--no-input', '--owner-email', OWNER, '--generate-password'];
  const setup = await jsonCommand<{ secrets: { ownerPassword: string } }>(launch, asked);
  const scopes = ['products:write', 'orders:write', 'settings:write'].flatMap((scope) => ['--scope', scope]);
  const key = ['apikey', 'create', '--service', 'store', '--name', 'walk', ...scopes];
  const { secret } = await jsonCommand<{ secret: string }>(launch, key);
  return { password: setup.secrets.ownerPassword, secret };
}

async function writeHooks(launch: Launch, files: Readonly<Record<string, string>>): Promise<void> {
  const { dir } = await jsonCommand<{ dir: string }>(launch, ['hooks', 'init']);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text, { mode: 0o600 });
  await jsonCommand(launch, ['hooks', 'check']);
}

/** The shop, by the key of its API. */
const placeOf = (url: string, secret: string, password: string): Omit<Place, 'mailsTo'> => ({
  url,
  owner: { email: OWNER, password },
  async ask(path, method = 'GET', body = undefined) {
    const answer = await fetch(new URL(`/api/store${path}`, url), {
      method,
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await answer.json()) as {
      data: Record<string, unknown> & { id: string };
      error?: string;
    };
    if (!answer.ok) throw new Error(`${method} ${path}: ${error}`);
    return data;
  },
});
