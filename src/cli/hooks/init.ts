import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAsset } from '#kernel/assets.ts';
import { loadConfig } from '#kernel/config/load.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { becomeDataOwner } from '../../app/data-directory.ts';
import type { Cli } from '../frame/context.ts';

const FILES = ['README.md', 'hooks.d.ts', 'example.ts.disabled'];

/** `appctl hooks init`: never overwrites a file. */
export async function initHooks(cli: Cli): Promise<void> {
  const { config } = await loadConfig(cli.configInput());
  const { hooksDir: dir, dataDir } = config;
  const kept = FILES.filter((name) => existsSync(join(dir, name)));
  const written = FILES.filter((name) => !kept.includes(name));
  if (cli.dryRun) {
    const words = `would write ${written.length} files to ${dir}`;
    return cli.out.value({ dir, written, kept, dryRun: true }, () => words);
  }
  // What root makes in a data directory would belong to another user than the server (cli.md section 1.7).
  becomeDataOwner(dataDir);
  ensurePrivateFolder(dir);
  for (const name of written) writeFileSync(join(dir, name), readAsset(`hooks/${name}`), { mode: 0o600 });
  await cli.out.value({ dir, written, kept }, () =>
    written.length === 0
      ? `nothing to write: ${dir} already has all files`
      : `wrote ${written.join(', ')} to ${dir}`,
  );
  cli.next('appctl hooks check');
}
