import { socketAnswers } from '#kernel/http/unix-socket.ts';
import type { Instance } from '../app/instance.ts';
import { readServerFile, socketPath } from '../app/run-files.ts';

/**
 * Lets links lead to the server that runs on this data directory, where no base_url says under which address the world
 * reaches it: the system may have chosen the port.
 */
export async function reachRunningServer({ config, isReachedAt }: Instance): Promise<void> {
  const baseUrl = config.baseUrlIsSet ? undefined : readServerFile(config)?.baseUrl;
  if (!baseUrl?.startsWith('http')) return;
  // The file of a server that was killed says nothing any more.
  if (await socketAnswers(socketPath(config)).catch(() => false)) isReachedAt(baseUrl);
}
