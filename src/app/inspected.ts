import type { Config } from '#kernel/config/config.ts';
import { createLog } from '#kernel/log.ts';
import { capabilities } from './capabilities.ts';
import { type Instance, openInstance } from './instance.ts';

/** Works with an installation whatever its schema, without a word in the log; closes it afterwards. */
export async function inspected<T>(config: Config, work: (instance: Instance) => Promise<T>): Promise<T> {
  const log = createLog({ level: 'silent', destination: 2 });
  const instance = await openInstance({ config, log, mode: 'inspect' });
  try {
    return await work(instance);
  } finally {
    await instance.close();
  }
}

/** The same installation with another database. */
export const atDatabase = (config: Config, url: string): Config => ({
  ...config,
  database: { ...config.database, url },
});

/** Makes in a database what no table of a copy says: indexes over words. */
export const rebuildIndexes = (config: Config, url: string): Promise<void> =>
  inspected(atDatabase(config, url), async ({ ctx }) => {
    for (const { rebuilds } of capabilities) await rebuilds?.(ctx);
  });
