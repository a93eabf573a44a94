import { setImmediate as turn } from 'node:timers/promises';
import { type Begun, beginListening } from './first-answers.ts';
import type { Instance } from './instance.ts';
import type { Running, ServeOptions } from './serve.ts';
import type { ConfigSources } from './system-checks.ts';

/**
 * Serves an opened installation. It listens and tells its health at once; other requests wait until all of the program
 * is loaded, which takes as long again. Who was given its sockets listens then: until it can answer everything, its
 * predecessor does, or they keep connections waiting.
 *
 * @throws AppError CONFLICT when an address is in use; ConfigError when this machine or this user cannot have it
 */
export async function serveSoon(
  instance: Instance,
  sources: ConfigSources,
  { isInherited, ...options }: ServeOptions & { readonly isInherited: boolean },
): Promise<Running> {
  const begun = isInherited ? undefined : await beginListening(instance, options);
  try {
    const { serve } = await loadProgram();
    return await serve(instance, sources, { ...options, ...(begun && { begun }) });
  } catch (error) {
    if (begun) await giveUp(begun);
    throw error;
  }
}

/** Part by part, so that it answers in between. */
async function loadProgram(): Promise<typeof import('./serve.ts')> {
  for (const load of [
    () => import('#platform/index.ts'),
    () => import('#licensing/index.ts'),
    () => import('#storefront/index.ts'),
    () => import('./capabilities.ts'),
  ]) {
    await turn();
    await load();
  }
  await turn();
  return import('./serve.ts');
}

async function giveUp({ listening: { servers } }: Begun): Promise<void> {
  for (const server of servers) server.destroy();
  await Promise.all(servers.map((server) => server.stop()));
}
