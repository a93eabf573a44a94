import { resolve } from 'node:path';
import { renderConfigFile } from '#kernel/config/template.ts';
import type { Cli } from '../frame/context.ts';
import { tryOutputs, withOutputFile } from '../frame/output-file.ts';

/** `appctl config init`: never overwrites a file. */
export async function initConfig(cli: Cli): Promise<void> {
  const out = cli.required('out');
  const text = renderConfigFile(new Map(), cli.flag('full'));
  if (out === '-') return cli.out.raw(text);
  const file = resolve(out);
  // Others may not read it: it may come to hold secrets.
  const asked = { path: file, force: false, mode: 0o640, cure: 'name another file with --out' };
  if (cli.dryRun) {
    tryOutputs([asked]);
    return cli.out.value({ file, dryRun: true }, () => `would write ${file}`);
  }
  await withOutputFile(asked, async (output) => output.write(text));
  await cli.out.value({ file }, () => `wrote ${file}`);
  cli.next(`appctl config check --config ${out}`);
}
