import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { profileOf, profileOfServer } from './profiles.ts';
import { baseOf, requireSafe, type Server } from './server.ts';

/** The server that the command line or the environment names. Throws as serverAsked does. */
export async function serverNamed(cli: Cli): Promise<Server> {
  const { config, entries } = await cli.config();
  const { server, profile } = config;
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
