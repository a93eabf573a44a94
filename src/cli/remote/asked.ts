import type { Cli } from '../frame/context.ts';
import type { Server } from './server.ts';

/**
 * The server that the command line or the environment names; null for the local installation. A flag wins over a
 * variable. With `--server` alone the saved login of that server opens it.
 *
 * @throws usage error (2) when two variables name servers, for a profile that does not exist, and for an address that
 *   would send the key in the clear
 */
export async function serverAsked(cli: Cli): Promise<Server | null> {
  const { server, profile } = (await cli.config()).config;
  if (server === undefined && profile === undefined) return null;
  // Loaded for a server only: most commands work here.
  const { serverNamed } = await import('./named.ts');
  return serverNamed(cli);
}
