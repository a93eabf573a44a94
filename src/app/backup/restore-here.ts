import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import type { ConfigFiles } from '#kernel/config/sources.ts';
import { createPrivateFile } from '#kernel/private-files.ts';
import { folderOfOwner } from '#kernel/process-identity.ts';
import { fail } from '#kernel/service/errors.ts';
import { backupUnderWay, type RestoreRequest, restoreBy } from '#platform/backup/index.ts';
import type { Instance } from '../instance.ts';

/** What a server leaves for the time after it has stopped. */
export interface LeftRequest extends RestoreRequest {
  /** Of the process that left it: one that was killed meanwhile left nothing for the next one. */
  readonly pid: number;
}

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'restore-asked.json');
const BEGUN = 'another restore has already been started';
/** After the answer is on its way. */
const ANSWERED_MS = 200;

/** Lets staff have this server restore a backup: it stops as it does at a signal, and `restoreAfterwards` goes on. */
export function restoreHere(instance: Instance): void {
  const { ctx, config } = instance;
  // What a process that was killed has left must not be done when another one stops: in a container both are process 1.
  rmSync(fileOf(config), { force: true });
  restoreBy(ctx, {
    refusal: () => refusalOf(instance),
    claim(request) {
      const left: LeftRequest = { ...request, pid: process.pid };
      if (!createPrivateFile(fileOf(config), `${JSON.stringify(left)}\n`))
        throw fail('CONFLICT', `Not restored: ${BEGUN}.`);
      return {
        begin() {
          ctx.log.warn(request, 'the server stops to restore a backup');
          setTimeout(() => process.kill(process.pid, 'SIGTERM'), ANSWERED_MS);
        },
        leave: () => rmSync(fileOf(config), { force: true }),
      };
    },
  });
}

async function refusalOf({ config, database }: Instance): Promise<string | null> {
  if (process.platform === 'win32') return 'Windows does not start a server in the place of another one';
  if (existsSync(fileOf(config))) return BEGUN;
  // The addresses and the files of root are closed to the user that it has become.
  if (folderOfOwner() !== null) return 'root started this server, and it could not start again by itself';
  if ((await backupUnderWay(config)) !== null) return 'a backup is being made';
  if (database.dialect === 'sqlite') return null;
  const { otherSessions, sessionWords } = await import('#kernel/db/sessions.ts');
  const others = await otherSessions(database.db);
  return others.length === 0 ? null : `the database is also used by ${sessionWords(others)}`;
}

/**
 * Restores what somebody asked the server of this process for, which has stopped, and starts it again; it does not return
 * then. Nothing happens where nobody asked.
 */
export async function restoreAfterwards(
  config: Config,
  files: Pick<ConfigFiles, 'config' | 'envFile'>,
): Promise<void> {
  const path = fileOf(config);
  if (!existsSync(path)) return;
  const left = JSON.parse(readFileSync(path, 'utf8')) as LeftRequest;
  rmSync(path, { force: true });
  if (left.pid !== process.pid) return;
  const { restoreAndStart } = await import('./restore-and-start.ts');
  await restoreAndStart({ config, files }, left);
}
