import { locateFiles } from '#kernel/config/load.ts';
import type { Cli } from '../frame/context.ts';

/** `appctl config path`: works also with a configuration that is invalid otherwise. */
export async function printConfigPath(cli: Cli): Promise<void> {
  const { config, dataDir, envFile, searched } = await locateFiles(cli.configInput());
  await cli.out.value({ config, dataDir, envFile }, (paint) =>
    [
      `config    ${config ?? `none; looked for ${searched.join(', ')}`}`,
      `data dir  ${dataDir}`,
      `env file  ${envFile ?? 'none'}`,
    ]
      .map((line) => `${paint('dim', line.slice(0, 10))}${line.slice(10)}`)
      .join('\n'),
  );
}
