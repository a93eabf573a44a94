import { packaged } from '#kernel/assets.ts';
import { buildInfo } from '#kernel/build-info.ts';
import type { Cli } from '../frame/context.ts';

/** `appctl version`, also behind -V and --version. */
export async function printVersion(cli: Cli): Promise<void> {
  if (cli.flag('licenses')) return (await import('./contents.ts')).printLicenses(cli);
  if (cli.flag('sbom')) return (await import('./contents.ts')).printBillOfMaterials(cli);
  const { version, commit, builtAt } = buildInfo();
  const { platform, arch } = process;
  const node = process.versions.node;
  const answer = { version, commit, builtAt, node, platform, arch, packaged };
  await cli.out.value(answer, () => `appctl ${version} (node ${node}, ${platform}-${arch})`);
}
