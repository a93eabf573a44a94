import { loadConfig } from '#kernel/config/load.ts';
import { createHooks } from '#kernel/hooks/hooks.ts';
import { logTo } from '#kernel/log.ts';
import { storeHookPoints } from '#storefront/tools/hooks/index.ts';
import type { Cli } from '../frame/context.ts';

/** `appctl hooks check`. @throws ConfigError (78) for files that would keep a server from starting */
export async function checkHooks(cli: Cli): Promise<void> {
  const { config } = await loadConfig(cli.configInput());
  const log = logTo({ write: () => undefined }, 'silent');
  const { files } = await createHooks({ dir: config.hooksDir, points: storeHookPoints, log }).load();
  const shown = files.map(({ name, subscriptions }) => ({
    file: name,
    subscriptions: subscriptions.map(({ event }) => event),
  }));
  await cli.out.value({ dir: config.hooksDir, files: shown }, () =>
    shown.length === 0
      ? `no hooks in ${config.hooksDir}; appctl hooks init creates an example`
      : shown
          .map(({ file, subscriptions }) => `${file}: ${subscriptions.join(', ') || 'no subscriptions'}`)
          .join('\n'),
  );
}
