import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processEnvironment } from '#kernel/environment.ts';
import { MARK } from '#platform/service-unit/index.ts';
import { CliError, conflictError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { Service } from './facts.ts';

/** An account that systemd made for a service that runs (DynamicUser) ends with it: it is none. */
const env = { ...processEnvironment(), SYSTEMD_NSS_DYNAMIC_BYPASS: '1' };

/**
 * Makes the account of a service where it is missing. Its line for systemd-sysusers stays, so that a tree that becomes the
 * root of a machine gets the account when that machine starts.
 *
 * @throws CliError (5) when another account was asked for and does not exist, (1) when it cannot be made
 */
export function makeAccount({ root, dataDir, facts: { name, user } }: Service): void {
  if (user === null) return;
  const isHere = root === '/';
  const isKnown = isHere && spawnSync('getent', ['passwd', user], { env }).status === 0;
  if (isKnown) return;
  if (user !== name) {
    if (!isHere) return;
    throw conflictError(
      `the account ${user} does not exist`,
      `create it: sudo useradd --system --no-create-home ${user}, or leave out --user`,
    );
  }
  const file = join(root, '/etc/sysusers.d', `${name}.conf`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${MARK}\nu ${name} - "${name} service" ${dataDir}\n`, { mode: 0o644 });
  if (!isHere) return;
  const { status, stderr, error } = spawnSync('systemd-sysusers', [file], { env, encoding: 'utf8' });
  if (status === 0) return;
  throw new CliError(
    exits.unexpected,
    'ACCOUNT_FAILED',
    `the account ${name} cannot be created: ${error?.message ?? stderr.trim()}`,
    { hint: `create it: sudo useradd --system --no-create-home ${name}` },
  );
}
