import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { profileOf, profileOfServer } from './profiles.ts';
import { baseOf, requireSafe, type Server } from './server.ts';

/**
 * The server that the command line or the environment names; null for the local installation. A flag wins over a
 * variable. With `--server` alone the saved login of that server opens it.
 *
 * @throws usage error (2) when two variables name servers, for a profile that does not exist, and for an address that
 *   would send the key in the clear
 */
export async function serverAsked(cli: Cli): Promise<Server | null> {
  const { config, entries } = await cli.config();
  const { server, profile } = config;
  if (server === undefined && profile === undefined) return null;
  const usesProfile = profile !== undefined && (server === undefined || entries.profile.source === 'flag');
  if (server !== undefined && profile !== undefined && entries.server.source === entries.profile.source)
    throw usageError('APPCTL_SERVER and APPCTL_PROFILE both name a server', 'unset one of them');
  const asked = usesProfile
    ? profileOf(cli.io.env, profile)
    : loginOf(cli, String(server), config.apiKey ?? null);
  const key = entries.api_key.source === 'flag' ? (config.apiKey ?? null) : asked.key;
  requireSafe(asked.base, config.insecureHttp);
  return { ...asked, key: key?.trim() ?? null };
}

function loginOf(cli: Cli, text: string, key: string | null): Server {
  const base = baseOf(text);
  const saved = key === null ? profileOfServer(cli.io.env, base) : null;
  return saved ?? { base, key, profile: null, ca: null };
}
