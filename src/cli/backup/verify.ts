import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { isLocation } from '#kernel/storage/location.ts';
import { type Manifest, memberOf, openWorkFolder, showProgress } from '#platform/backup/index.ts';
import { verifyArchive } from '../../app/backup/verify.ts';
import { becomeDataOwner } from '../../app/data-directory.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { findBackup, manifestView, openingOf } from './named-backup.ts';

/** `appctl backup verify FILE`: ends with 6 when it cannot be relied on. */
export async function verify(cli: Cli): Promise<number> {
  const { config } = await cli.config();
  const backup = await findBackup(cli, config);
  const opening = await openingOf(cli, config);
  const source = await backup.open();
  // On a machine without an installation nothing is made for one.
  const scratch = existsSync(config.dataDir) ? null : mkdtempSync(join(tmpdir(), 'appctl-verify-'));
  if (scratch === null) becomeDataOwner(config.dataDir);
  const work = await openWorkFolder(scratch ?? config.dataDir);
  const size = backup.sizeBytes ?? 0;
  const progress = await cli.byteProgress('verifying', size);
  // Whoever asked for it in the panel looks there.
  const told = showProgress(work, systemClock, 'verification');
  told.stage('verifying', size);
  try {
    const options = {
      work,
      clock: systemClock,
      keyring: null,
      opening,
      onBytes(bytes: number) {
        progress.update(bytes);
        told.progress(bytes, size);
      },
    };
    const { manifest, sha256 } = await verifyArchive(source, options);
    progress.stop();
    if (backup.sidecar !== null && backup.sidecar.sha256 !== sha256)
      return tell(cli, backup.display, [
        'it is another file than the one that was verified when it was made',
      ]);
    const damagedFiles = filesOfOtherBytes(manifest);
    if (damagedFiles.length > 0) return tell(cli, backup.display, damagedFiles);
    await cli.out.value(
      { ok: true, problems: [], manifest: manifestView(manifest) },
      () =>
        `${backup.display} is whole: a backup of ${manifest.createdAt} by appctl ${manifest.version}, ${Object.keys(manifest.tables).length} tables.`,
    );
    return exits.done;
  } catch (error) {
    progress.stop();
    if (!(error instanceof AppError) || error.code !== 'VERIFICATION_FAILED' || !cli.json) throw error;
    return tell(cli, backup.display, [error.message]);
  } finally {
    await work.remove();
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Files whose name is the digest of other bytes, in words. Nothing of them is sent to a customer, so that a backup is
 * made and restored with them: without them everything else would be lost, too.
 */
function filesOfOtherBytes({ files }: Manifest): string[] {
  const found: string[] = [];
  for (const [name, { sha256 }] of Object.entries(files)) {
    const member = memberOf(name);
    if (member?.kind !== 'object' || !isLocation(member.location)) continue;
    if (!name.endsWith(`/${sha256}`))
      found.push(
        `the bytes of ${name} are not those that its name says: it was damaged before the backup was made`,
      );
  }
  return found;
}

async function tell(cli: Cli, display: string, problems: string[]): Promise<number> {
  await cli.out.value({ ok: false, problems, manifest: null }, () => `${display}: ${problems.join('; ')}`);
  return exits.verificationFailed;
}
