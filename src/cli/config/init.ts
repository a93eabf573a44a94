import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderConfigFile } from '#kernel/config/template.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError } from '../frame/errors.ts';

/** `appctl config init`: never overwrites a file. */
export async function initConfig(cli: Cli): Promise<void> {
  const out = cli.required('out');
  const text = renderConfigFile(new Map(), cli.flag('full'));
  if (out === '-') return cli.out.raw(text);
  const file = resolve(out);
  if (cli.dryRun) {
    if (existsSync(file)) throw fileExists(file);
    return cli.out.value({ file, dryRun: true }, () => `would write ${file}`);
  }
  try {
    // The file may come to hold secrets, and "wx" refuses one that exists, also when two write at once.
    writeFileSync(file, text, { flag: 'wx', mode: 0o640 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw fileExists(file);
    throw error;
  }
  await cli.out.value({ file }, () => `wrote ${file}`);
  cli.next(`appctl config check --config ${out}`);
}

function fileExists(file: string) {
  return conflictError(`${file} exists`, 'name another file with --out');
}
